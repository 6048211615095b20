import { afterAll, describe, expect, it } from 'vitest'
import { fullTrust } from '../../src/domain/trust/caller.ts'
import { createSummaryService } from '../../src/metrics/index.ts'
import { fact, storeRecord } from '../support/requests/console-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const day = 86_400_000

const app = await startTestApp()
afterAll(() => app.close())

/** Computes the metrics for a trust without the cache. */
const read = (trust = fullTrust) =>
  createSummaryService({ ...app, freshMs: 0 }).read({
    caller: { principal: 'p', name: 'n', permissions: new Set(), trust, sourceType: 'ai' },
  })

const decay = (days: number) => ({
  lifecycle: { decay: { curve: 'linear', half_life_seconds: days * 86_400 } },
})

describe('the distributions of GET /v1/metrics', () => {
  it('count by layer and status, by importance, by day of creation and by day of fading', async () => {
    const old = await storeRecord(
      app,
      fact('s', 'p', 'old', { ...decay(30), base_importance: 0.9, scope: 'a' }),
    )
    await app.request('POST', `/v1/records/${old}/retract`, { body: { actor: 'a', rationale: 'r' } })
    app.clock.advance(3 * day)
    await storeRecord(app, fact('s', 'p', 'soon', { ...decay(2), layer: 'working', scope: 'a' }))
    await storeRecord(app, fact('s', 'p', 'later', { ...decay(5), scope: 'b' }))
    await storeRecord(app, fact('s', 'p', 'last', { ...decay(90), scope: 'b' }))
    const pinned = await storeRecord(app, fact('s', 'p', 'pinned', { ...decay(1), scope: 'b' }))
    await app.request('POST', `/v1/records/${pinned}/pin`, { body: { actor: 'a', rationale: 'r' } })
    app.clock.advance(1_000)

    const figures = await read()
    expect(figures.records_by_layer).toMatchObject({ working: 1, semantic: 4, procedural: 0 })
    expect(figures.records_by_status).toMatchObject({ active: 4, invalidated: 1, superseded: 0 })
    const bands = Object.values(figures.importance_distribution)
    expect(bands.reduce((sum, count) => sum + count)).toBe(5)
    expect(figures.created_by_day).toHaveLength(30)
    expect(figures.created_by_day.slice(-4).map(({ records }) => records)).toEqual([1, 0, 0, 4])
    expect(figures.memory_growth_rate).toBe(4 / 5)
    expect(figures.fading_by_day.map(({ records }) => records)).toEqual([0, 1, 0, 0, 1, 0, 0])
    expect(figures.fading_by_day[0]?.from).toBe(figures.as_of)
  })

  it('leave out what the key does not see', async () => {
    const { created_by_day: created, fading_by_day: fading } = await read({
      maxSensitivity: 'low',
      scopes: ['a'],
    })
    expect(created.reduce((sum, { records }) => sum + records, 0)).toBe(2)
    expect(fading.reduce((sum, { records }) => sum + records, 0)).toBe(1)
  })

  it('count what is due, and not yet forgotten, as fading on the first day', async () => {
    app.clock.advance(6 * day)
    const { fading_by_day: fading } = await read()
    expect(fading[0]?.records).toBe(2)
  })
})
