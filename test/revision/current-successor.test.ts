import { afterAll, expect, it } from 'vitest'
import { type Body, create, expectProblem, payloads } from '../support/requests/record-requests.ts'
import { buildClaim, mergeRecords, revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const supersede = async (id: string, record: object): Promise<Body> =>
  ((await revise(app, 'supersede', id, { record })).body as Body).record

const reason = { actor: 'agent', rationale: 'it helped' }
const refused: [string, object][] = [
  ['reinforce', reason],
  ['penalize', { ...reason, amount: 0.1 }],
  ['pin', reason],
  ['unpin', reason],
  ['status', { status: 'active', actor: 'agent', reason: 'it helped' }],
  ['retract', reason],
]

it.each(refused)('%s of a superseded record names the record that is current now', async (call, body) => {
  const first = await create(app, buildClaim('one'))
  const second = await supersede(first.id, buildClaim('two'))
  const third = await supersede(second.id, buildClaim('three'))
  for (const { id } of [first, second]) {
    const answer = await app.request('POST', `/v1/records/${id}/${call}`, { body })
    expect((answer.body as Body).superseded_by).toBe(third.id)
    expect(answer.status).toBe(409)
  }
})

it('each record of a bulk call gets its own successor', async () => {
  const olds = await Promise.all(['a', 'b', 'c'].map((object) => create(app, buildClaim(object))))
  const [one, two, three] = olds.map(({ id }) => id)
  const next = await supersede(one, buildClaim('next'))
  const merged = ((await mergeRecords(app, [two, next.id], buildClaim('merged'))).body as Body).record
  await revise(app, 'retract', three)
  const answer = await app.request('POST', '/v1/records/reinforce', {
    body: { ids: [one, two, three, merged.id], ...reason },
  })
  const results: Body[] = (answer.body as Body).results
  expect(results.map(({ status }) => status)).toEqual([409, 409, 409, 200])
  expect(results.map(({ problem }) => problem?.superseded_by)).toEqual([
    merged.id,
    merged.id,
    undefined,
    undefined,
  ])
})

it('a patch of a replaced entity names its successor', async () => {
  const old = await create(app, { type: 'entity', payload: payloads.entity })
  const next = await supersede(old.id, {
    type: 'entity',
    payload: { ...payloads.entity, canonical_name: 'Orion II' },
  })
  for (const body of [{ payload: { summary: 'a ship' } }, { lifecycle: { pinned: true } }]) {
    const answer = await app.request('PATCH', `/v1/records/${old.id}`, { body })
    expect(expectProblem(answer, 409, 'record_retracted').superseded_by).toBe(next.id)
  }
})

it('a key learns no successor that it does not see, and none beyond it', async () => {
  const key = await app.issueKey(['records:read', 'lifecycle:write'], { max_sensitivity: 'low' })
  const first = await create(app, buildClaim('low', { sensitivity: 'low' }))
  const second = await supersede(first.id, buildClaim('low too', { sensitivity: 'low' }))
  const hidden = await supersede(second.id, buildClaim('high', { sensitivity: 'high' }))
  const ask = (id: string) => app.request('POST', `/v1/records/${id}/reinforce`, { body: reason, key })
  expect(expectProblem(await ask(first.id), 409, 'record_retracted').superseded_by).toBe(second.id)
  const refusal = await ask(second.id)
  expect(expectProblem(refusal, 409, 'record_retracted')).not.toHaveProperty('superseded_by')
  expect(refusal.text).not.toContain(hidden.id)
})
