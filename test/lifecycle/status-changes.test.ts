import { afterAll, describe, expect, it } from 'vitest'
import { writeOneDayPolicies } from '../support/apps/one-day-policies.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
  type Type,
} from '../support/requests/record-requests.ts'
import { type Answer, type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the status tests' } })
await writeOneDayPolicies(app.db)
afterAll(() => app.close())

const day = 86_400_000
const statuses = ['active', 'challenged', 'invalidated', 'merged', 'superseded'] as const
type Status = (typeof statuses)[number]
/** The statuses that a status call can set, and where a further call can lead from each. */
const settable = ['active', 'challenged', 'invalidated'] as const
const leadsTo: Record<(typeof settable)[number], readonly Status[]> = {
  active: ['challenged', 'invalidated'],
  challenged: ['active', 'invalidated'],
  invalidated: ['active'],
}

const move = (id: string, status: string, options: RequestOptions = {}): Promise<Answer> =>
  app.request('POST', `/v1/records/${id}/status`, {
    ...options,
    body: { status, reason: `now ${status}`, actor: 'reviewer' },
  })
const historyOf = async (id: string): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/status-history`)).body

describe('POST /v1/records/{id}/status', () => {
  it.each(settable.flatMap((from) => statuses.map((to) => [from, to] as const)))(
    'from %s to %s follows the table of transitions',
    async (from, to) => {
      const { id } = await create(app, fact())
      if (from !== 'active') expect((await move(id, from)).status).toBe(200)
      const before = await read(app, id)
      const answer = await move(id, to)
      if (leadsTo[from].includes(to)) {
        expect(answer.status).toBe(200)
        expect(answer.headers.get('etag')).toBe(`"${before.version + 1}"`)
        expect(answer.body).toMatchObject({ status: to, version: before.version + 1 })
        expect((answer.body as Body).audit_log.at(-1)).toMatchObject({
          action: 'status',
          actor: 'reviewer',
          rationale: `now ${to}`,
          changes: { status: [from, to] },
        })
        expect(await read(app, id)).toEqual(answer.body)
      } else {
        expect(expectProblem(answer, 409, 'invalid_transition').status).toBe(409)
        expect(await read(app, id)).toEqual(before)
      }
    },
  )

  it('works for records of any type and leaves salience unchanged', async () => {
    for (const type of Object.keys(payloads) as Type[]) {
      const { id } = await create(app, { type, payload: payloads[type] })
      app.clock.advance(day)
      const { body } = await move(id, 'challenged')
      expect(body).toMatchObject({ status: 'challenged', salience: 0.5 })
      expect((await move(id, 'invalidated')).body).toMatchObject({ status: 'invalidated', salience: 0.5 })
      expect((await move(id, 'active')).body).toMatchObject({ status: 'active', salience: 0.5 })
    }
  })

  it('takes effect once under an Idempotency-Key, at the version in If-Match', async () => {
    const { id } = await create(app, fact())
    const headers = { 'idempotency-key': `status-${id}`, 'if-match': '"1"' }
    const first = await move(id, 'challenged', { headers })
    const again = await move(id, 'challenged', { headers })
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await historyOf(id)).items).toHaveLength(1)
    const stale = await move(id, 'active', { headers: { 'if-match': '"1"' } })
    expectProblem(stale, 412, 'version_mismatch')
  })

  it('takes effect once for two concurrent requests', async () => {
    const { id } = await create(app, fact())
    const answers = await Promise.all([move(id, 'invalidated'), move(id, 'invalidated')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await read(app, id)).toMatchObject({ status: 'invalidated', version: 2 })
  })

  it('leaves a history without gaps after concurrent requests', async () => {
    const { id } = await create(app, fact())
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => move(id, index % 2 ? 'active' : 'challenged')),
    )
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const { items } = await historyOf(id)
    expect(items).toHaveLength(answers.filter(({ status }) => status === 200).length)
    for (const [index, item] of items.entries()) expect(item.old).toBe(items[index - 1]?.new ?? 'active')
    expect((await read(app, id)).status).toBe(items.at(-1).new)
  })

  it('is the only operation that sets a status', async () => {
    const record = await create(app, fact())
    const patch = await app.request('PATCH', `/v1/records/${record.id}`, { body: { status: 'challenged' } })
    expectProblem(patch, 422, 'validation_failed')
    const forged = await app.request('POST', '/v1/records', { body: fact({ status: 'superseded' }) })
    expectProblem(forged, 422, 'validation_failed')
    expect(await read(app, record.id)).toEqual(record)
  })

  it('refuses an unknown status, a missing reason and a missing actor', async () => {
    const { id } = await create(app, fact())
    const bodies = [
      { status: 'forgotten', reason: 'r', actor: 'a' },
      { status: 'challenged', actor: 'a' },
      { status: 'challenged', reason: 'r' },
      { status: 'challenged', reason: '', actor: 'a' },
      { status: 'challenged', reason: 'r', actor: 'a', step: 'probe' },
    ]
    for (const body of bodies) {
      const answer = await app.request('POST', `/v1/records/${id}/status`, { body })
      expectProblem(answer, 422, 'validation_failed')
    }
  })

  it('requires permission and an active record that the key sees completely', async () => {
    const { id } = await create(app, fact({ sensitivity: 'medium' }))
    const permissions = ['records:read', 'records:write', 'lifecycle:write'] as const
    const [reader, low, lower] = await Promise.all([
      app.issueKey(['records:read', 'records:write']),
      app.issueKey(permissions, { max_sensitivity: 'low' }),
      app.issueKey(permissions, { max_sensitivity: 'public' }),
    ])
    expectProblem(await move(id, 'challenged', { key: reader }), 403, 'forbidden')
    expectProblem(await move(id, 'challenged', { key: low }), 403, 'above_ceiling')
    expectProblem(await move(id, 'challenged', { key: lower }), 404, 'record_not_found')
    const ask = (key: string) => app.request('GET', `/v1/records/${id}/status-history`, { key })
    expectProblem(await ask(low), 403, 'above_ceiling')
    expectProblem(await ask(lower), 404, 'record_not_found')
    await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)
    expectProblem(await move(id, 'challenged'), 410, 'record_forgotten')
  })
})

describe('a superseded or merged record', () => {
  const claims = { actor: 'reviewer', rationale: 'newer' }
  const next = (object: string) => ({
    type: 'semantic',
    payload: {
      ...payloads.semantic,
      object,
      evidence: [{ source_type: 'observation', source_id: 'x', timestamp: '2026-01-01T00:00:00Z' }],
    },
  })

  it('made so by a revision cannot be activated by a status call', async () => {
    const [old, one, other] = await Promise.all([1, 2, 3].map(() => create(app, fact())))
    await app.request('POST', `/v1/records/${old.id}/supersede`, {
      body: { ...claims, record: next('Rust') },
    })
    const body = { ...claims, ids: [one.id, other.id], record: next('Zig') }
    expect((await app.request('POST', '/v1/records/merge', { body })).status).toBe(201)
    for (const { id } of [old, one]) {
      const before = await read(app, id)
      expect(['superseded', 'merged']).toContain(before.status)
      for (const status of statuses) expectProblem(await move(id, status), 409, 'invalid_transition')
      expect(await read(app, id)).toEqual(before)
    }
  })

  it.each(['superseded', 'merged'])(
    'made %s by a status call of an earlier version can be activated',
    async (status) => {
      const payload = { ...payloads.entity, identifiers: [{ namespace: status, value: 'x' }] }
      const { id } = await create(app, { type: 'entity', payload })
      await setByHand(id, status)
      expect(await listBrokenLaws(app)).toEqual([])
      for (const to of ['challenged', 'invalidated', 'superseded', 'merged']) {
        expectProblem(await move(id, to), 409, 'invalid_transition')
      }
      expect((await move(id, 'active')).body).toMatchObject({ status: 'active', salience: 1 })
      expect((await historyOf(id)).items.at(-1)).toMatchObject({ old: status, new: 'active', step: 'revert' })
      expect(await listBrokenLaws(app)).toEqual([])
    },
  )

  /** Sets the status as the first release did. */
  async function setByHand(id: string, status: string): Promise<void> {
    await app.database.pool.query(
      `with moved as (
         insert into status_changes (record_id, at, old, new, actor, reason, step)
         values ($1, $2, 'active', $3, 'a', 'r', 'manual')
       ), logged as (
         insert into audit_entries (record_id, at, action, actor, rationale)
         values ($1, $2, 'status', 'a', 'r')
       )
       update records set status = $3, version = version + 1 where id = $1`,
      [id, app.clock.now(), status],
    )
  }
})
