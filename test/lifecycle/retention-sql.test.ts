import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { type Layer, sourceTrust } from '../../src/domain/importance/importance.ts'
import { computeRetention, type RetentionMode } from '../../src/domain/lifecycle/retention.ts'
import { computeRetentionAt } from '../../src/lifecycle/index.ts'
import { countRuns } from '../support/long-run.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { insertRecordHistories, type RecordHistory } from '../support/stores/record-histories.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

const day = 86_400_000
const now = new Date('2026-03-01T12:34:56.789Z')

const ages = fc.oneof(
  // Around the bends of the curves, and far beyond the point where PostgreSQL would underflow.
  fc.integer({ min: -day, max: 120 * day }),
  fc.nat(8).map((halves) => halves * 7.5 * day),
  fc.integer({ min: 0, max: 5_000 * day }),
)
const life: fc.Arbitrary<RecordHistory> = fc.record({
  age_ms: ages,
  base_importance: fc.constant(0.5),
  emotional_valence: fc.constant(0),
  layer: fc.constantFrom<Layer>('working', 'episodic', 'semantic', 'procedural', 'codebase'),
  source_type: fc.constantFrom(...(Object.keys(sourceTrust) as (keyof typeof sourceTrust)[])),
  confirmations: fc.constant(0),
  accesses: fc.array(fc.record({ age_ms: ages, kind: fc.constantFrom('used', 'served') }), { maxLength: 4 }),
  unlogged: fc.oneof(fc.constant(0), fc.nat(2_000)),
  folded_days: fc.constant(0),
})
/** As fine as the configuration allows. */
const millionths = (most: number) => fc.nat(most).map((count) => count / 1_000_000)
const settings = fc.record({
  mode: fc.constantFrom<RetentionMode>('l2', 'huber', 'elastic'),
  shape: fc.record({
    huberDelta: fc.oneof(fc.constantFrom(0, 0.5, 1, 63.999), millionths(63_999_999)),
    elasticRho: fc.oneof(fc.constantFrom(0, 0.3, 1), millionths(1_000_000)),
  }),
})

it('retention in SQL equals retention in TypeScript, for any configuration', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 12 }), settings, async (lives, chosen) => {
      const ids = await insertRecordHistories(database.pool, lives, now)
      const settings = { retentionMode: chosen.mode, retentionShape: chosen.shape }
      const { rows } = await sql<{ id: string; retention: number }>`
        select r.id, ${computeRetentionAt(now, settings)} as retention from records as r
        where r.id = any(${ids}::uuid[])
      `.execute(database.db)
      const bySql = new Map(rows.map(({ id, retention }) => [id, retention]))
      for (const [index, each] of lives.entries()) {
        const last =
          each.accesses.length === 0 ? each.age_ms : Math.min(...each.accesses.map((a) => a.age_ms))
        const inputs = {
          mode: chosen.mode,
          layer: each.layer,
          source_trust: sourceTrust[each.source_type],
          days_since_access: Math.max(0, last) / day,
          accesses: each.accesses.length + each.unlogged,
        }
        expect(bySql.get(ids[index] ?? '')).toBeCloseTo(computeRetention(inputs, chosen.shape).value, 9)
      }
    }),
    { numRuns: countRuns(400), endOnFailure: true },
  )
})
