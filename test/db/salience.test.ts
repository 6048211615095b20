import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { type Curve, computeSalience, type DecayState } from '../../src/domain/lifecycle/curves.ts'
import { countRuns } from '../support/long-run.ts'
import { openTestDatabase } from '../support/servers/database.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

const start = Date.parse('2026-01-01T00:00:00.000Z')

const profile: fc.Arbitrary<DecayState & { elapsed: number }> = fc
  .record({
    curve: fc.constantFrom<Curve>('exponential', 'linear', 'custom', 'huber', 'elastic'),
    half_life_seconds: fc.oneof(fc.integer({ min: 1, max: 1e5 }), fc.integer({ min: 1, max: 1e11 })),
    min_salience: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
    // Also denormal numbers: PostgreSQL raises when their products underflow.
    base_salience: fc.oneof(
      fc.double({ min: 0, max: 10, noNaN: true }),
      fc.double({ min: 0, max: 1e308, noNaN: true }),
    ),
    age: fc.option(fc.integer({ min: 0, max: 1e9 })),
    pinned: fc.boolean(),
    elapsed: fc.oneof(fc.integer({ min: -1_000, max: 1e7 }), fc.integer({ min: 0, max: 1e10 })),
  })
  .map(({ age, ...rest }) => ({
    ...rest,
    anchored_at: new Date(start),
    expires_at: age === null ? null : new Date(start + age * 1_000),
  }))

it('salience in SQL equals salience in TypeScript', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(profile, { minLength: 200, maxLength: 200 }), async (lives) => {
      const { rows } = await sql<{ salience: number; ofRow: number }>`
        select salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds,
            r.min_salience, instant) as salience, salience_at(r, instant) as "ofRow"
        from jsonb_array_elements(${JSON.stringify(
          lives.map((life) => ({ ...life, now: new Date(start + life.elapsed * 1_000) })),
        )}::jsonb) with ordinality as given (row, position)
        cross join jsonb_populate_record(null::records, row) as r
        cross join cast(row ->> 'now' as timestamptz) as instant
        order by position
      `.execute(database.db)
      for (const [index, life] of lives.entries()) {
        const expected = computeSalience(life, new Date(start + life.elapsed * 1_000))
        // A process of an earlier version gives the row.
        expect(rows[index]?.ofRow).toBe(rows[index]?.salience)
        const difference = Math.abs((rows[index]?.salience ?? Number.NaN) - expected)
        expect(difference, JSON.stringify(life)).toBeLessThanOrEqual(1e-9 * Math.max(1, expected))
      }
    }),
    { numRuns: countRuns(25) },
  )
})
