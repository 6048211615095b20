import { afterAll, describe, expect, it } from 'vitest'
import { purgeForgotten } from '../../src/records/index.ts'
import { writeOneDayPolicies } from '../support/apps/one-day-policies.ts'
import { type Body, create, expectProblem, fact, payloads } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the insight tests' } })
await writeOneDayPolicies(app.db)
afterAll(() => app.close())

const day = 86_400_000
const get = async (id: string, view: string): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/${view}`)).body
const instantIn = (milliseconds: number) => new Date(app.clock.now().getTime() + milliseconds).toISOString()

describe('GET /v1/records/{id}/explain', () => {
  it('shows every number behind an active record', async () => {
    const decay = { curve: 'linear', half_life_seconds: 172_800, reinforcement_gain: 0.2 }
    const { id } = await create(app, {
      type: 'episodic',
      payload: payloads.episodic,
      source_type: 'ai',
      emotional_valence: -0.5,
      lifecycle: { decay },
    })
    const anchored = app.clock.now().toISOString()
    app.clock.advance(day)
    const { importance, retention, worth, keeping, ...seen } = await get(id, 'explain')
    expect(seen).toEqual({
      id,
      state: 'live',
      prune_at: expect.any(String),
      salience: {
        value: 0.5,
        base_salience: 1,
        anchored_at: anchored,
        elapsed_seconds: 86_400,
        curve: 'linear',
        half_life_seconds: 172_800,
        factor: 0.5,
        floor: 0,
        cap: 1,
        rule: 'curve',
      },
    })
    expect(worth.value).toBe(importance.base_importance)
    expect(keeping).toMatchObject({
      salience: 0.5,
      value: ((keeping.importance + 3 * keeping.base_importance) / 4) * 0.5 ** (1 / 32),
    })
    expect(importance.factors.trust).toEqual({ value: 0.7, weight: 0.08, contribution: 0.08 * 0.7 })
    expect(importance.factors.valence.value).toBe(0.5)
    const contributions = Object.values<Body>(importance.factors).map(({ contribution }) => contribution)
    expect(contributions).toHaveLength(9)
    expect(importance.value).toBeCloseTo(
      contributions.reduce((sum, each) => sum + each, 0),
      12,
    )
    expect(retention).toEqual({
      mode: 'huber',
      half_life_days: 18.75,
      days_since_access: 1,
      bonus: 0,
      value: 2 ** (-1 / 18.75),
      base: 2 ** (-1 / 18.75),
    })
  })

  it('names the rule that decides', async () => {
    const ruleOf = async (lifecycle: object, wait = day) => {
      const { id } = await create(app, fact({ lifecycle }))
      app.clock.advance(wait)
      return (await get(id, 'explain')).salience.rule
    }
    expect(await ruleOf({ decay: { half_life_seconds: 60, min_salience: 0.3 } })).toBe('floor')
    expect(await ruleOf({ decay: { max_age_seconds: 60, min_salience: 0.3 } })).toBe('max_age')
    expect(await ruleOf({ pinned: true, decay: { max_age_seconds: 60 } })).toBe('pinned')
    expect(await ruleOf({ decay: { min_salience: 0.3 } }, 60_000)).toBe('curve')
    const { id } = await create(app, fact())
    await app.db
      .updateTable('records')
      .set({ status: 'superseded', base_salience: 0 })
      .where('id', '=', id)
      .execute()
    expect((await get(id, 'explain')).salience).toMatchObject({ value: 0, rule: 'revision' })
  })

  it('explains for a deleted record who deleted it, why, with which values, and how to restore it', async () => {
    const { id } = await create(app, fact())
    app.clock.advance(day)
    await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=outdated`)
    const at = app.clock.now().toISOString()
    app.clock.advance(day)
    const removal = {
      at,
      reason: 'deleted',
      rule: 'deletion',
      actor: 'ada',
      run_id: null,
      numbers: { salience: 0.5, base_salience: 1, elapsed_seconds: 86_400, factor: 0.5, floor: 0 },
    }
    const forgotten = await get(id, 'explain')
    expect(forgotten).toMatchObject({ state: 'forgotten', salience: { value: 0.25 } })
    expect(forgotten.removal).toEqual({
      ...removal,
      restore: {
        possible: true,
        until: instantIn(29 * day),
        call: `POST /v1/records/${id}/restore`,
        salience: 0.5,
      },
    })
    app.clock.advance(29 * day)
    const over = await get(id, 'explain')
    await purgeForgotten(app.db, app.clock.now(), 1_000)
    const purged = await get(id, 'explain')
    expect(purged).toEqual(over)
    expect(purged).toMatchObject({ state: 'purged', removal: { ...removal, restore: { possible: false } } })
    await app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'desk', rationale: 'asked' } })
    expect(await get(id, 'explain')).toMatchObject({
      state: 'erased',
      removal: { reason: 'erased', rule: 'erasure', actor: 'desk', restore: { possible: false } },
    })
  })

  it('says with which salience a forgotten record comes back, also one that is history', async () => {
    const body = { actor: 'ada', rationale: 'outdated' }
    for (const isRetracted of [false, true]) {
      const { id } = await create(app, fact({ salience: 0.01 }))
      if (isRetracted) await app.request('POST', `/v1/records/${id}/retract`, { body })
      await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=outdated`)
      const { removal } = await get(id, 'explain')
      expect(removal.restore.salience).toBe(isRetracted ? 0 : 0.1)
      const restored = await app.request('POST', `/v1/records/${id}/restore`, { body })
      expect((restored.body as Body).salience).toBe(removal.restore.salience)
    }
  })

  it('names the rule by which a record faded', async () => {
    const expected = [
      [{ half_life_seconds: 60 }, 'curve'],
      [{ max_age_seconds: 60 }, 'max_age'],
    ] as const
    for (const [decay, rule] of expected) {
      const { id } = await create(app, fact({ lifecycle: { decay } }))
      app.clock.advance(day)
      const at = app.clock.now()
      const forgotten = {
        forgotten_at: at,
        forgotten_reason: 'pruned',
        forgotten_by: 'decay-service',
        purge_at: new Date(at.getTime() + day),
      }
      await app.db
        .updateTable('records')
        .set({ ...forgotten, forgotten_run_id: app.ids.next() })
        .where('id', '=', id)
        .execute()
      expect((await get(id, 'explain')).removal).toMatchObject({
        reason: 'pruned',
        rule,
        actor: 'decay-service',
        run_id: expect.any(String),
      })
    }
  })

  it('hides an erased record from other keys', async () => {
    const { id } = await create(app, fact({ scope: 'mine' }))
    await app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'desk', rationale: 'asked' } })
    const key = await app.issueKey(['records:read'], { scopes: ['theirs'], max_sensitivity: 'hyper' })
    expectProblem(await app.request('GET', `/v1/records/${id}/explain`, { key }), 404, 'record_not_found')
    expect(await get(id, 'explain')).toMatchObject({ id, state: 'erased', salience: { base_salience: 1 } })
  })
})
