import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { type AccessSummary, combineAccesses } from '../../src/domain/importance/access-weights.ts'
import { type Layer, scoreImportance, sourceTrust } from '../../src/domain/importance/importance.ts'
import { findLoggedAccesses } from '../../src/lifecycle/importance/importance.queries.ts'
import { computeImportance } from '../../src/lifecycle/index.ts'
import { summariseAccesses } from '../support/checks/lifecycle-rules.ts'
import { countRuns } from '../support/long-run.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { insertRecordHistories, type RecordHistory } from '../support/stores/record-histories.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

const day = 86_400_000
const now = new Date('2026-03-01T12:34:56.789Z')

/** No accesses, a few, as many as are summed one by one, and so many that days are counted in steps. */
const access = fc.record({
  // Also some after now and before the creation: clocks differ, and history is imported later.
  age_ms: fc.oneof(
    fc.integer({ min: -2 * day, max: 3 * day }),
    fc.integer({ min: 0, max: 400 * day }),
    fc.nat(10).map((days) => days * day),
  ),
  kind: fc.constantFrom('used' as const, 'served' as const),
})
const accesses = fc.oneof(
  fc.constant([]),
  fc.array(access, { minLength: 1, maxLength: 31 }),
  fc.array(access, { minLength: 32, maxLength: 34 }),
  fc.array(access, { minLength: 95, maxLength: 160 }),
)
const life: fc.Arbitrary<RecordHistory> = fc.record({
  age_ms: fc.oneof(fc.integer({ min: -1_000, max: day }), fc.integer({ min: 0, max: 1_000 * day })),
  base_importance: fc.double({ min: 0, max: 1, noNaN: true }),
  emotional_valence: fc.double({ min: -1, max: 1, noNaN: true }),
  layer: fc.constantFrom<Layer>('working', 'episodic', 'semantic', 'procedural', 'codebase'),
  source_type: fc.constantFrom(...(Object.keys(sourceTrust) as (keyof typeof sourceTrust)[])),
  confirmations: fc.nat(12),
  accesses,
  /** Accesses that the log does not contain. */
  unlogged: fc.oneof(fc.constant(0), fc.nat(500)),
  folded_days: fc.nat(3),
})

type Scored = { id: string; score: number }

async function scoreInSql(ids: readonly string[]): Promise<Map<string, number>> {
  const { join, importance } = computeImportance(now)
  const { rows } = await sql<Scored>`
    select r.id, ${importance} as score from records as r ${join} where r.id = any(${ids}::uuid[])
  `.execute(database.db)
  return new Map(rows.map(({ id, score }) => [id, score]))
}

async function recall(id: string) {
  const stored = await database.db
    .selectFrom('records')
    .where('id', '=', id)
    .select(['created_at', 'access_count', 'served_count', 'last_accessed_at'])
    .executeTakeFirstOrThrow()
  return combineAccesses(stored, await findLoggedAccesses(database.db, id), now)
}

function score(history: RecordHistory, accesses: AccessSummary): number {
  return scoreImportance({
    base_importance: history.base_importance,
    emotional_valence: history.emotional_valence,
    accesses,
    age_days: Math.max(0, history.age_ms) / day,
    layer: history.layer,
    source_trust: sourceTrust[history.source_type],
    confirmations: history.confirmations,
  })
}

describe('importance computed in SQL', () => {
  it('equals importance computed in TypeScript for any history of accesses', async () => {
    const lives = fc.array(life, { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(lives, async (input) => {
        const ids = await insertRecordHistories(database.pool, input, now)
        const scores = await scoreInSql(ids)
        for (const [index, each] of input.entries()) {
          const id = ids[index] ?? ''
          expect(scores.get(id)).toBeCloseTo(score(each, await recall(id)), 9)
        }
      }),
      { numRuns: countRuns(100), endOnFailure: true },
    )
  })

  it('equals the sum over every single access when the log is complete', async () => {
    const logged = life.map((each) => ({
      ...each,
      age_ms: Math.max(0, each.age_ms),
      unlogged: 0,
      folded_days: 0,
    }))
    await fc.assert(
      fc.asyncProperty(logged, async (input) => {
        const [id = ''] = await insertRecordHistories(database.pool, [input], now)
        const all = input.accesses.map(({ age_ms, kind }) => ({ age_days: age_ms / day, kind }))
        const { recent, ...figures } = summariseAccesses(all, input.age_ms / day)
        const known = await recall(id)
        expect(known).toMatchObject(figures)
        expect(known.recent.map(({ age_days }) => age_days)).toEqual(recent.map(({ age_days }) => age_days))
        // Either of two accesses at one instant may be the older, so the weights may be ordered differently.
        const isTold = new Set(all.map(({ age_days }) => age_days)).size === all.length
        if (isTold)
          expect(score(input, known)).toBeCloseTo(
            score(input, summariseAccesses(all, input.age_ms / day)),
            12,
          )
      }),
      { numRuns: countRuns(100) },
    )
  })
})
