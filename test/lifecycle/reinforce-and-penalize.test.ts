import { afterAll, describe, expect, it } from 'vitest'
import { writeOneDayPolicies } from '../support/apps/one-day-policies.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  pointersOf,
  read,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import vectors from '../vectors/decay.json' with { type: 'json' }

const app = await startTestApp()
await writeOneDayPolicies(app.db)
afterAll(() => app.close())

const hour = 3_600_000
const reason = { actor: 'agent', rationale: 'it helped' }
const ask = (id: string, operation: string, more: object = {}, headers: Record<string, string> = {}) =>
  app.request('POST', `/v1/records/${id}/${operation}`, { body: { ...reason, ...more }, headers })

const fading = (decay: object, more: object = {}) => fact({ lifecycle: { decay }, ...more })

describe('POST /v1/records/{id}/reinforce', () => {
  it('grows salience without bound when there is no cap, by the published table', async () => {
    const { expected, every_seconds: step, profile } = vectors.reinforcement
    const record = await create(app, fading(profile))
    const seen = [record.salience]
    while (seen.length < expected.length) {
      app.clock.advance(step * 1_000)
      seen.push((await read(app, record.id)).salience)
      if (seen.length < expected.length)
        seen.push(((await ask(record.id, 'reinforce')).body as Body).salience)
    }
    for (const [index, value] of expected.entries()) expect(seen[index]).toBeCloseTo(value, 8)
  })

  it('stops at the cap, restarts decay and adds an audit entry', async () => {
    const record = await create(app, fading({ reinforcement_gain: 0.7 }))
    app.clock.advance(24 * hour)
    const answer = await ask(record.id, 'reinforce')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('etag')).toBe('"2"')
    const now = app.clock.now().toISOString()
    expect(answer.body).toMatchObject({
      salience: 1,
      version: 2,
      updated_at: now,
      lifecycle: { last_reinforced_at: now },
    })
    expect((answer.body as Body).audit_log[1]).toMatchObject({
      action: 'reinforce',
      ...reason,
      changes: { salience: [0.5, 1] },
    })
    expect(await read(app, record.id)).toEqual(answer.body)
  })

  it('leaves a salience above the cap, and only restarts decay without a gain', async () => {
    const high = await create(app, fading({ reinforcement_gain: 1 }, { salience: 5 }))
    expect((await ask(high.id, 'reinforce')).body).toMatchObject({ salience: 5 })
    const still = await create(app, fading({ reinforcement_gain: 0 }))
    app.clock.advance(24 * hour)
    expect((await ask(still.id, 'reinforce')).body).toMatchObject({ salience: 0.5 })
    app.clock.advance(24 * hour)
    expect((await read(app, still.id)).salience).toBeCloseTo(0.25, 12)
  })

  it('stops at the largest salience', async () => {
    const record = await create(
      app,
      fading({ reinforcement_gain: 1_000, max_salience: null }, { salience: 1_000 }),
    )
    expect((await ask(record.id, 'reinforce')).body).toMatchObject({ salience: 1_000 })
  })

  it('counts each of twenty concurrent requests', async () => {
    const record = await create(app, fading({ reinforcement_gain: 0.01, max_salience: null }))
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(record.id, 'reinforce')))
    for (const { status } of answers) expect(status).toBe(200)
    const after = await read(app, record.id)
    expect(after.salience).toBeCloseTo(1.2, 9)
    expect(after.version).toBe(21)
  })
})

describe('POST /v1/records/{id}/penalize', () => {
  it('lowers salience without restarting decay', async () => {
    const record = await create(app, fading({ half_life_seconds: 3_600, curve: 'linear' }))
    app.clock.advance(hour / 2)
    const answer = await ask(record.id, 'penalize', { amount: 0.25 })
    expect(answer.body).toMatchObject({
      salience: 0.25,
      lifecycle: { last_reinforced_at: record.created_at },
    })
    expect((answer.body as Body).audit_log[1]).toMatchObject({
      action: 'decay',
      changes: { salience: [0.5, 0.25] },
    })
    app.clock.advance(hour / 4)
    expect((await read(app, record.id)).salience).toBeCloseTo(0.125, 12)
    app.clock.advance(hour / 4)
    expect((await read(app, record.id)).salience).toBe(0)
  })

  it('stops at the floor, never raises salience, and does nothing visible with an amount of 0', async () => {
    const record = await create(app, fading({ min_salience: 0.4 }))
    expect((await ask(record.id, 'penalize', { amount: 9 })).body).toMatchObject({ salience: 0.4 })
    const low = await create(app, fading({ min_salience: 0.4 }, { salience: 0.2 }))
    expect((await ask(low.id, 'penalize', { amount: 0.1 })).body).toMatchObject({ salience: 0.2 })
    const none = await create(app, fading({}))
    expect((await ask(none.id, 'penalize', { amount: 0 })).body).toMatchObject({ salience: 1 })
    expect((await ask(none.id, 'penalize', { amount: 2 })).body).toMatchObject({ salience: 0 })
    expect((await ask(none.id, 'penalize', { amount: 2 })).body).toMatchObject({ salience: 0 })
  })

  it('refuses a negative amount', async () => {
    const record = await create(app, fact())
    const answer = await ask(record.id, 'penalize', { amount: -1 })
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toEqual(['/amount'])
  })
})

describe('POST /v1/records/{id}/pin and /unpin', () => {
  it('freeze salience and let it decay again from the same value', async () => {
    const record = await create(app, fading({ max_age_seconds: 86_400 * 3 }))
    app.clock.advance(24 * hour)
    expect((await ask(record.id, 'pin')).body).toMatchObject({ salience: 0.5, lifecycle: { pinned: true } })
    app.clock.advance(24 * hour)
    expect((await ask(record.id, 'unpin')).body).toMatchObject({
      salience: 0.5,
      lifecycle: { pinned: false },
    })
    app.clock.advance(12 * hour)
    expect((await read(app, record.id)).salience).toBeCloseTo(0.5 * 2 ** -0.5, 12)
    app.clock.advance(12 * hour)
    expect((await read(app, record.id)).salience).toBe(0)
  })

  it('change nothing when repeated, not even the version', async () => {
    const record = await create(app, fact())
    const pinned = await ask(record.id, 'pin')
    expect((await ask(record.id, 'pin')).body).toEqual(pinned.body)
    const free = await create(app, fact())
    expect((await ask(free.id, 'unpin')).body).toEqual(free)
  })

  it('let reinforce and penalize change the frozen salience', async () => {
    const record = await create(app, fading({ reinforcement_gain: 0.2 }, { salience: 0.5 }))
    await ask(record.id, 'pin')
    expect((await ask(record.id, 'reinforce')).body).toMatchObject({ salience: 0.7 })
    app.clock.advance(24 * hour)
    const { body } = await ask(record.id, 'penalize', { amount: 0.3 })
    expect((body as Body).salience).toBeCloseTo(0.4, 12)
  })
})

describe('every salience operation', () => {
  const operations = [
    ['reinforce', {}],
    ['penalize', { amount: 0.1 }],
    ['pin', {}],
    ['unpin', {}],
  ] as const

  it('sets the deadline of the new curve', async () => {
    const record = await create(
      app,
      fading({ curve: 'linear', half_life_seconds: 3_600, reinforcement_gain: 1 }),
    )
    const pruneAt = async () =>
      (
        await app.db
          .selectFrom('records')
          .where('id', '=', record.id)
          .select('prune_at')
          .executeTakeFirstOrThrow()
      ).prune_at
    const first = await pruneAt()
    app.clock.advance(hour / 2)
    await ask(record.id, 'reinforce')
    expect((await pruneAt())?.getTime()).toBe((first?.getTime() ?? 0) + hour / 2)
    await ask(record.id, 'pin')
    expect(await pruneAt()).toBeNull()
  })

  it('requires an actor, a rationale, permission and the version in If-Match', async () => {
    const record = await create(app, fact())
    const key = await app.issueKey(['records:read', 'records:write'])
    for (const [operation, more] of operations) {
      const path = `/v1/records/${record.id}/${operation}`
      const bare = await app.request('POST', path, { body: more })
      expectProblem(bare, 422, 'validation_failed')
      expect(pointersOf(bare)).toEqual(['/actor', '/rationale'])
      expectProblem(await app.request('POST', path, { key, body: { ...reason, ...more } }), 403, 'forbidden')
      expectProblem(await ask(record.id, operation, more, { 'if-match': '"7"' }), 412, 'version_mismatch')
    }
  })

  it('takes effect once under an Idempotency-Key', async () => {
    const record = await create(app, fading({ reinforcement_gain: 0.1 }, { salience: 0.5 }))
    const headers = { 'idempotency-key': 'reinforce-once' }
    const first = await ask(record.id, 'reinforce', {}, headers)
    expect((await ask(record.id, 'reinforce', {}, headers)).text).toBe(first.text)
    expect((await read(app, record.id)).salience).toBe(0.6)
  })

  it('is refused for superseded and missing records', async () => {
    const record = await create(app, fact())
    await app.db.updateTable('records').set({ status: 'superseded' }).where('id', '=', record.id).execute()
    for (const [operation, more] of operations) {
      expectProblem(await ask(record.id, operation, more), 409, 'record_retracted')
      expectProblem(await ask(app.ids.next(), operation, more), 404, 'record_not_found')
    }
  })
})
