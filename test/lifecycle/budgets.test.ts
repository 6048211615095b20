import { beforeEach, describe, expect, it } from 'vitest'
import { shareTestApp } from '../support/apps/shared-store.ts'
import {
  createFacts,
  day,
  isForgotten,
  listForgotten,
  putBudget,
  runDecay,
} from '../support/requests/budget-requests.ts'
import { type Body, create, expectProblem, fact, payloads } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'

const openApp = shareTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

const explain = async (id: string): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/explain`)).body
const act = (id: string, action: string) =>
  app.request('POST', `/v1/records/${id}/${action}`, { body: { actor: 'ada', rationale: 'a test' } })

describe('a decay run over a scope that exceeds its budget', () => {
  it('forgets the records least worth keeping until the budget holds', async () => {
    const ids = await createFacts(app, 'a', 12)
    const others = await createFacts(app, 'b', 12)
    await putBudget(app, 'a', { max_records: 9 })
    app.clock.advance(2 * day)
    const worth = await Promise.all(ids.map(async (id) => (await explain(id)).keeping.value))
    expect(worth).toEqual(worth.toSorted((one, other) => one - other))
    const { run, changes } = await runDecay(app)
    expect(run).toMatchObject({
      status: 'succeeded',
      stats: { over_budget: 3 },
      progress: { done: 3, total: 3 },
    })
    expect(await listForgotten(app, [...ids, ...others])).toEqual(ids.slice(0, 3))
    const byRank = changes.toSorted((one, other) => one.after.rank - other.after.rank)
    expect(byRank.map((change) => [change.record_id, change.after.rank])).toEqual([
      [ids[0], 1],
      [ids[1], 2],
      [ids[2], 3],
    ])
    for (const [index, { action, before, after }] of byRank.entries()) {
      expect(action).toBe('forget')
      expect(before.keeping).toBeCloseTo(worth[index], 9)
      expect(after.line).toBeCloseTo(worth[3], 9)
    }
    expect((await runDecay(app)).run.stats).not.toHaveProperty('over_budget')
  })

  it('says why in the record, its log and its explanation, and the record can be restored', async () => {
    const [id = ''] = await createFacts(app, 'a', 2)
    await putBudget(app, 'a', { max_records: 1 })
    app.clock.advance(2 * day)
    const { keeping } = await explain(id)
    const worth = (keeping.importance + 3 * keeping.base_importance) / 4
    expect(keeping.value).toBeCloseTo(worth * keeping.salience ** (1 / 32), 12)
    const { run } = await runDecay(app)
    const gone = expectProblem(await app.request('GET', `/v1/records/${id}`), 410, 'record_forgotten')
    expect(gone.reason).toBe('budget')
    const { removal, state } = await explain(id)
    expect(state).toBe('forgotten')
    expect(removal).toMatchObject({
      reason: 'budget',
      rule: 'budget',
      actor: 'decay-service',
      run_id: run.id,
      restore: { possible: true },
    })
    expect(removal.numbers.keeping).toBeCloseTo(keeping.value, 9)
    const { audit_log: log, forgotten } = (
      await app.request('GET', `/v1/records/${id}?include_forgotten=true`)
    ).body as Body
    expect(forgotten).toMatchObject({ reason: 'budget', run_id: run.id })
    expect(log.at(-1)).toMatchObject({ action: 'delete', actor: 'decay-service', run_id: run.id })
    expect((await act(id, 'restore')).status).toBe(200)
    // A day of grace counts from the restoration, and nothing that is worth more goes instead.
    expect((await runDecay(app)).changes).toEqual([])
    app.clock.advance(day + 1)
    expect((await runDecay(app)).changes).toMatchObject([{ record_id: id }])
  })

  it('lists the same changes in a dry run, and changes nothing', async () => {
    const ids = await createFacts(app, 'a', 8)
    // Due for pruning: a real run forgets it before it counts.
    await create(app, fact({ scope: 'a', lifecycle: { decay: { curve: 'linear', half_life_seconds: 60 } } }))
    await putBudget(app, 'a', { max_records: 5 })
    app.clock.advance(2 * day)
    const rehearsal = await runDecay(app, { dry_run: true })
    expect(await listForgotten(app, ids)).toEqual([])
    const real = await runDecay(app)
    expect(rehearsal.run.stats).toEqual(real.run.stats)
    expect(real.run.stats).toMatchObject({ pruned: 1, over_budget: 3 })
    expect(rehearsal.changes).toEqual(real.changes)
    expect(await listForgotten(app, ids)).toEqual(ids.slice(0, 3))
  })

  it('never forgets what is pinned, kept by its policy or protected, however small the budget', async () => {
    const pinned = await create(app, fact({ scope: 'a', base_importance: 0, lifecycle: { pinned: true } }))
    const manual = await create(
      app,
      fact({ scope: 'a', base_importance: 0, lifecycle: { deletion_policy: 'manual_only' } }),
    )
    const never = await create(
      app,
      fact({ scope: 'a', base_importance: 0, lifecycle: { deletion_policy: 'never' } }),
    )
    const skill = await create(app, { type: 'competence', payload: payloads.competence, scope: 'a' })
    const working = await create(app, {
      type: 'working',
      payload: payloads.working,
      scope: 'a',
      base_importance: 0,
    })
    const kept = [pinned, manual, never, skill, working].map(({ id }) => id)
    const ids = await createFacts(app, 'a', 3)
    const budget = { max_records: 5, protect: ['competence', 'working'], mode: 'hard' }
    await putBudget(app, 'a', budget)
    // Protected after the budget was set: the budget cannot hold, and forgets all that it may.
    await act(ids[2] ?? '', 'pin')
    await app.request('POST', `/v1/records/${working.id}/reinforce`, {
      body: { actor: 'ada', rationale: 'kept alive' },
    })
    await runDecay(app)
    expect(await listForgotten(app, [...kept, ...ids])).toEqual(ids.slice(0, 2))
  })

  it('does not count what is forgotten already', async () => {
    const ids = await createFacts(app, 'a', 6)
    await putBudget(app, 'a', { max_records: 4 })
    for (const id of ids.slice(4)) {
      await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=wrong`)
    }
    app.clock.advance(2 * day)
    await runDecay(app)
    expect(await listForgotten(app, ids)).toEqual(ids.slice(4))
  })

  it('does not count what was erased, and counts a record in the scope to which it was moved', async () => {
    const ids = await createFacts(app, 'a', 6)
    const [first = '', second = ''] = ids
    await act(first, 'erase')
    await app.request('PATCH', `/v1/records/${second}`, {
      body: { scope: 'b', payload: { object: 'a longer text than before' }, tags: ['moved'] },
    })
    await putBudget(app, 'a', { max_records: 4 })
    await putBudget(app, 'b', { max_records: 0 })
    app.clock.advance(2 * day)
    const { changes } = await runDecay(app)
    expect(changes.map(({ record_id: id }) => id)).toEqual([second])
  })
})

describe('the grace period of a day', () => {
  it('is kept by a soft budget, though it does not hold', async () => {
    const old = await createFacts(app, 'a', 2)
    app.clock.advance(day + 1_000)
    const fresh = await createFacts(app, 'a', 4)
    await putBudget(app, 'a', { max_records: 3 })
    await runDecay(app)
    expect(await listForgotten(app, [...old, ...fresh])).toEqual(old.slice(0, 1))
    app.clock.advance(day)
    await runDecay(app)
    // Two of the new ones were worth less than the second old one, which therefore stayed.
    expect(await listForgotten(app, [...old, ...fresh])).toEqual([old[0], ...fresh.slice(0, 2)])
  })

  it('is waived by a hard budget where nothing else is left', async () => {
    const old = await createFacts(app, 'a', 2)
    app.clock.advance(day + 1_000)
    const fresh = await createFacts(app, 'a', 4)
    await putBudget(app, 'a', { max_records: 3, mode: 'hard' })
    const rehearsal = await runDecay(app, { dry_run: true })
    const { changes } = await runDecay(app)
    expect(await listForgotten(app, [...old, ...fresh])).toEqual([...old, fresh[0]])
    expect(changes.map(({ after }) => after.rank).sort()).toEqual([1, 2, 3])
    expect(rehearsal.changes).toEqual(changes)
  })
})

describe('a budget in bytes', () => {
  it('counts about the JSON of the records, and holds after the run', async () => {
    const ids = await createFacts(app, 'a', 20)
    const bodies = await Promise.all(ids.map((id) => app.request('GET', `/v1/records/${id}`)))
    const total = bodies.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    const { rows } = await app.database.pool.query('select sum(bytes)::int8 as bytes from scope_sizes')
    expect(rows[0].bytes / total).toBeGreaterThan(0.8)
    expect(rows[0].bytes / total).toBeLessThan(1.2)
    const limit = Math.floor(rows[0].bytes / 2)
    await putBudget(app, 'a', { max_bytes: limit })
    app.clock.advance(2 * day)
    const rehearsal = await runDecay(app, { dry_run: true })
    const { changes } = await runDecay(app)
    expect(rehearsal.changes).toEqual(changes)
    expect(await listForgotten(app, ids)).toEqual(ids.slice(0, 10))
    const left = await app.database.pool.query('select sum(bytes)::int8 as bytes from scope_sizes')
    expect(left.rows[0].bytes).toBeLessThanOrEqual(limit)
    expect((await runDecay(app)).changes).toEqual([])
  })

  it('follows the size of a record that changes', async () => {
    const { id } = await create(app, { type: 'entity', payload: payloads.entity, scope: 'a' })
    await putBudget(app, 'a', { max_bytes: 5_000 })
    app.clock.advance(2 * day)
    expect((await runDecay(app)).changes).toEqual([])
    const payload = { summary: 'word '.repeat(1_000) }
    expect((await app.request('PATCH', `/v1/records/${id}`, { body: { payload } })).status).toBe(200)
    await runDecay(app)
    expect(await isForgotten(app, id)).toBe(true)
  })
})

describe('the default budget', () => {
  it('holds each scope without a budget, and the records without a scope', async () => {
    const named = await createFacts(app, 'a', 4)
    const other = await createFacts(app, 'b', 4)
    const unscoped: string[] = []
    for (const base of [0.1, 0.5, 0.9]) {
      unscoped.push((await create(app, fact({ base_importance: base }))).id)
    }
    await putBudget(app, 'a', { max_records: 3 })
    const answer = await app.request('PUT', '/v1/policies/budgets', { body: { max_records: 2 } })
    expect(answer.body).toEqual({ max_records: 2, protect: [], mode: 'soft' })
    app.clock.advance(2 * day)
    await runDecay(app)
    expect(await listForgotten(app, [...named, ...other, ...unscoped])).toEqual([
      named[0],
      other[0],
      other[1],
      unscoped[0],
    ])
  })

  it('does not touch other scopes in a run of one scope', async () => {
    const named = await createFacts(app, 'a', 3)
    const other = await createFacts(app, 'b', 3)
    await app.request('PUT', '/v1/policies/budgets', { body: { max_records: 2 } })
    app.clock.advance(2 * day)
    await runDecay(app, { scope: 'a' })
    expect(await listForgotten(app, [...named, ...other])).toEqual([named[0]])
  })
})
