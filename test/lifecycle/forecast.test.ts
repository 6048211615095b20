import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import {
  type Curve,
  computeExpiry,
  computePruneAt,
  computeSalience,
} from '../../src/domain/lifecycle/curves.ts'
import { forecastSalience } from '../../src/lifecycle/explanation/forecast.ts'
import { writeOneDayPolicies } from '../support/apps/one-day-policies.ts'
import { type Body, create, expectProblem, fact, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
await writeOneDayPolicies(app.db)
afterAll(() => app.close())

const day = 86_400_000
const get = async (id: string, view: string): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/${view}`)).body
const instantIn = (milliseconds: number) => new Date(app.clock.now().getTime() + milliseconds).toISOString()

describe('GET /v1/records/{id}/forecast', () => {
  it('answers when the salience halves, falls below 0.1 and the record is pruned, with points in between', async () => {
    const { id } = await create(app, fact({ lifecycle: { decay: { half_life_seconds: 86_400 } } }))
    const { points, ...seen } = await get(id, 'forecast?points=5')
    expect(seen).toEqual({
      id,
      as_of: app.clock.now().toISOString(),
      salience: 1,
      crossings: {
        half: instantIn(day),
        below_0_1: instantIn(Math.ceil(Math.log2(10) * day)),
        pruned: instantIn(Math.ceil(Math.log2(1_000) * day)),
      },
    })
    expect(points).toHaveLength(5)
    expect(points[0]).toEqual({ at: app.clock.now().toISOString(), salience: 1 })
    expect(points[4]).toEqual({ at: seen.crossings.pruned, salience: expect.closeTo(0.001, 6) })
  })

  it('matches the salience of later reads', async () => {
    for (const curve of ['exponential', 'linear', 'huber', 'elastic']) {
      const { id } = await create(app, fact({ lifecycle: { decay: { curve, half_life_seconds: 50_000 } } }))
      const { points, crossings } = await get(id, 'forecast?points=4')
      for (const point of points) {
        app.clock.advance(Date.parse(point.at) - app.clock.now().getTime())
        expect((await read(app, id)).salience).toBe(point.salience)
      }
      expect(crossings.pruned).toBe(points[3].at)
    }
  })

  it('answers null where a floor, a pin or a policy keeps the record', async () => {
    const floor = await create(app, fact({ lifecycle: { decay: { min_salience: 0.1 } } }))
    expect((await get(floor.id, 'forecast')).crossings).toEqual({
      half: instantIn(day),
      below_0_1: null,
      pruned: null,
    })
    const pinned = await create(app, fact({ lifecycle: { pinned: true } }))
    const still = await get(pinned.id, 'forecast?points=3')
    expect(still.crossings).toEqual({ half: null, below_0_1: null, pruned: null })
    expect(still.points.map(({ salience }: Body) => salience)).toEqual([1, 1, 1])
    const manual = await create(app, fact({ lifecycle: { deletion_policy: 'manual_only' } }))
    expect((await get(manual.id, 'forecast')).crossings).toMatchObject({ half: instantIn(day), pruned: null })
  })

  it('ends at the maximum age', async () => {
    const { id } = await create(
      app,
      fact({ lifecycle: { decay: { min_salience: 0.8, max_age_seconds: 3_600 } } }),
    )
    const { points, crossings } = await get(id, 'forecast?points=2')
    const end = instantIn(3_600_000)
    expect(crossings).toEqual({ half: end, below_0_1: end, pruned: end })
    expect(points[1]).toEqual({ at: end, salience: 0 })
  })

  it('is available for active records that the key sees completely', async () => {
    const { id } = await create(app, fact({ sensitivity: 'medium' }))
    const key = await app.issueKey(['records:read'])
    for (const view of ['forecast', 'explain']) {
      expectProblem(await app.request('GET', `/v1/records/${id}/${view}`, { key }), 403, 'above_ceiling')
      expectProblem(
        await app.request('GET', `/v1/records/${app.ids.next()}/${view}`),
        404,
        'record_not_found',
      )
    }
    await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)
    expectProblem(await app.request('GET', `/v1/records/${id}/forecast`), 410, 'record_forgotten')
    for (const points of [0, 1_001]) {
      expectProblem(
        await app.request('GET', `/v1/records/${id}/forecast?points=${points}`),
        422,
        'validation_failed',
      )
    }
  })

  it('has crossings that lie on the curve, for any profile', () => {
    const profiles = fc.record({
      curve: fc.constantFrom<Curve>('exponential', 'linear', 'custom', 'huber', 'elastic'),
      half_life_seconds: fc.integer({ min: 1, max: 1e7 }),
      min_salience: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
      base_salience: fc.double({ min: 0.002, max: 5, noNaN: true }),
      max_age_seconds: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1e8 })),
      pinned: fc.constant(false),
      elapsed: fc.integer({ min: 0, max: 1e9 }),
    })
    const created = app.clock.now()
    fc.assert(
      fc.property(profiles, ({ elapsed, max_age_seconds: maxAge, ...profile }) => {
        const rest = {
          anchored_at: created,
          expires_at: computeExpiry(created, maxAge),
          deletion_policy: 'auto_prune' as const,
        }
        const life = { ...profile, ...rest }
        const now = new Date(created.getTime() + elapsed)
        const salience = computeSalience(life, now)
        const { crossings } = forecastSalience(life, computePruneAt(life), now, 2)
        for (const [mark, moment] of [
          [salience / 2, crossings.half],
          [0.1, crossings.below_0_1],
        ] as const) {
          if (!moment || moment <= created) continue
          // One millisecond on the steepest curve.
          const slack = (2 * life.base_salience) / (life.half_life_seconds * 1_000)
          expect(computeSalience(life, moment)).toBeLessThanOrEqual(mark + 1e-9)
          expect(computeSalience(life, new Date(moment.getTime() - 1))).toBeGreaterThanOrEqual(
            Math.min(mark, 0.1) - slack,
          )
        }
      }),
    )
  })
})
