import { beforeEach, expect, it } from 'vitest'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { type Body, create, fact, read } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const openApp = shareTestApp()
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

/** Makes records as the release before left them: without a judgement, and with the base importance of then. */
const age = (ids: readonly string[], base = 0.5) =>
  app.db.updateTable('records').set({ worth: null, base_importance: base }).where('id', 'in', ids).execute()

async function rejudge(body: object = {}) {
  const answer = await app.request('POST', '/v1/maintenance/runs', {
    body: { job: 'refresh_importance', options: { rejudge: true }, ...body },
  })
  expect(answer.status).toBe(202)
  await createWorkerFor(app).runJob('refresh_importance', new AbortController().signal)
  const { id } = answer.body as Body
  return async () => (await app.request('GET', `/v1/maintenance/runs/${id}`)).body as Body
}

const auditOf = async (id: string): Promise<Body[]> =>
  ((await app.request('GET', `/v1/records/${id}/audit`)).body as Body).items
const createMany = async (count: number, more: object = {}): Promise<string[]> => {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push((await create(app, fact(more))).id)
  return ids
}

it('judges records of before once, each with one entry in its audit log', async () => {
  const [id = ''] = await createMany(1)
  const judged = (await read(app, id)).base_importance
  await age([id])
  const run = await (await rejudge())()
  expect(run).toMatchObject({ status: 'succeeded', stats: { judged: 1 } })
  const after = await read(app, id)
  expect(after).toMatchObject({ base_importance: judged, version: 1 })
  const explained = (await app.request('GET', `/v1/records/${id}/explain`)).body as Body
  expect(explained.worth.value).toBe(judged)
  expect(after.importance).toBeCloseTo(explained.importance.value, 2)
  const again = await (await rejudge())()
  expect(again.stats.judged).toBe(0)
  expect((await auditOf(id)).filter(({ action }) => action === 'revise')).toEqual([
    expect.objectContaining({
      actor: 'importance-service',
      run_id: run.id,
      changes: { base_importance: [0.5, judged] },
    }),
  ])
})

it('judges a message by what was said before it', async () => {
  const body = {
    messages: [
      { id: '1', role: 'user', name: 'Ada', content: 'Where does she live?' },
      { id: '2', role: 'user', name: 'Bo', content: 'In Porto, near the harbour.' },
    ],
  }
  const { items } = (await app.request('POST', '/v1/conversations/c/messages', { body })).body as Body
  const ids: string[] = items.map((item: Body) => item.record_id)
  const before = await Promise.all(ids.map((id) => read(app, id)))
  await age(ids)
  await rejudge()
  const after = await Promise.all(ids.map((id) => read(app, id)))
  expect(after.map((each) => each.base_importance)).toEqual(before.map((each) => each.base_importance))
})

it('leaves records alone whose importance was named, moved or protected, and other scopes', async () => {
  const named = (await create(app, fact({ base_importance: 0.5 }))).id
  const [moved = '', pinned = '', forgotten = ''] = await createMany(3)
  const [elsewhere = ''] = await createMany(1, { scope: 'other' })
  await age([moved], 0.35)
  await app.request('POST', `/v1/records/${pinned}/pin`, { body: { actor: 'a', rationale: 'b' } })
  await app.request('DELETE', `/v1/records/${forgotten}?actor=a&rationale=b`)
  await age([pinned, forgotten, elsewhere])
  const [old = ''] = await createMany(1, { scope: 'mine' })
  await age([old])
  expect((await (await rejudge({ scope: 'mine' }))()).stats.judged).toBe(1)
  const bases = await app.db.selectFrom('records').select(['id', 'base_importance']).execute()
  const baseOf = new Map(bases.map((row) => [row.id, row.base_importance]))
  expect(baseOf.get(old)).not.toBe(0.5)
  for (const id of [named, pinned, forgotten, elsewhere]) expect(baseOf.get(id)).toBe(0.5)
  expect(baseOf.get(moved)).toBe(0.35)
})

it('starts surprise from the judgement', async () => {
  const [id = ''] = await createMany(1)
  const judged = (await read(app, id)).base_importance
  await age([id], 0.62)
  await app.db
    .insertInto('surprises')
    .values({
      record_id: id,
      at: app.clock.now(),
      score: 0.7,
      delta: 0.12,
      base_before: 0.5,
      neighbours: '[]',
    })
    .execute()
  await rejudge()
  expect((await read(app, id)).base_importance).toBeCloseTo(judged + 0.12, 12)
  const { surprise, worth } = (await app.request('GET', `/v1/records/${id}/explain`)).body as Body
  expect(surprise.base_before).toBe(judged)
  expect(worth.value).toBe(judged)
})

it('changes nothing in a dry run, and is refused for other jobs', async () => {
  const ids = await createMany(3)
  await age(ids)
  const run = await (await rejudge({ dry_run: true }))()
  expect(run.stats.judged).toBe(3)
  for (const id of ids) expect((await read(app, id)).base_importance).toBe(0.5)
  const refused = await app.request('POST', '/v1/maintenance/runs', {
    body: { job: 'decay', options: { rejudge: true } },
  })
  expect(refused.status).toBe(422)
})
