import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { accessWeight, combineAccesses } from '../../src/domain/importance/access-weights.ts'
import { type Layer, scoreImportance, sourceTrust } from '../../src/domain/importance/importance.ts'
import { findLoggedAccesses } from '../../src/lifecycle/importance/importance.queries.ts'
import { promoteDue } from '../../src/lifecycle/index.ts'
import { duePromotion } from '../support/checks/lifecycle-rules.ts'
import { countRuns } from '../support/long-run.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { insertRecordHistories, type RecordHistory } from '../support/stores/record-histories.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

const minute = 60_000
const day = 86_400_000
const now = new Date('2026-03-01T12:34:56.789Z')

const ages = fc.oneof(
  fc.constantFrom(29 * minute, 30 * minute - 1, 30 * minute, 31 * minute),
  fc.integer({ min: 0, max: 120 * day }),
)
const life: fc.Arbitrary<RecordHistory> = fc.record({
  age_ms: ages,
  base_importance: fc.constantFrom(0.2, 0.8, 1),
  emotional_valence: fc.constantFrom(0, 1),
  layer: fc.constantFrom<Layer>('working', 'working', 'episodic', 'episodic', 'semantic', 'codebase'),
  source_type: fc.constantFrom('human', 'ai', 'auto_extracted'),
  confirmations: fc.nat(6),
  accesses: fc.array(fc.record({ age_ms: ages, kind: fc.constantFrom('used', 'served') }), { maxLength: 9 }),
  unlogged: fc.constantFrom(0, 0, 3),
  folded_days: fc.constant(0),
})
const demoted = fc.option(ages, { nil: undefined })

type Given = { life: RecordHistory; demoted_ms: number | undefined }

/** The highest layer by the rules in TypeScript. */
async function expectedLayer(id: string, { life: input, demoted_ms: since }: Given): Promise<Layer> {
  const kept = await database.db
    .selectFrom('records')
    .where('id', '=', id)
    .select(['created_at', 'access_count', 'served_count', 'last_accessed_at'])
    .executeTakeFirstOrThrow()
  const accesses = combineAccesses(kept, await findLoggedAccesses(database.db, id), now)
  const counted =
    since === undefined
      ? accesses.weight
      : input.accesses
          .filter(({ age_ms: age }) => age < since)
          .reduce((sum, { kind }) => sum + accessWeight[kind], 0)
  let layer = input.layer
  for (;;) {
    const next = duePromotion({
      layer,
      held_ms: Math.min(input.age_ms, since ?? input.age_ms),
      accesses: counted,
      importance: scoreImportance({
        base_importance: input.base_importance,
        emotional_valence: input.emotional_valence,
        layer,
        source_trust: sourceTrust[input.source_type],
        confirmations: input.confirmations,
        accesses,
        age_days: input.age_ms / day,
      }),
    })
    if (!next) return layer
    layer = next
  }
}

it('promotion in SQL equals the rules in TypeScript, for any demotion', async () => {
  let risen = 0
  const input = fc.record({ life, demoted_ms: demoted })
  await fc.assert(
    fc.asyncProperty(fc.array(input, { minLength: 8, maxLength: 12 }), async (all) => {
      const ids = await insertRecordHistories(
        database.pool,
        all.map((each) => each.life),
        now,
      )
      const moments = all.map(({ demoted_ms: ms }) =>
        ms === undefined ? null : new Date(now.getTime() - ms),
      )
      await database.pool.query(
        `update records as r set demoted_at = d.at
         from unnest($1::uuid[], $2::timestamptz[]) as d (id, at) where r.id = d.id`,
        [ids, moments],
      )
      const expected = await Promise.all(all.map((each, n) => expectedLayer(ids[n] ?? '', each)))
      const promoted = await database.db.transaction().execute((tx) => promoteDue(tx, { ids, now }))
      risen += promoted.episodic.length + promoted.semantic.length
      const rows = await database.db
        .selectFrom('records')
        .where('id', 'in', ids)
        .select(['id', 'layer'])
        .execute()
      const layers = new Map(rows.map((row) => [row.id, row.layer]))
      expect(ids.map((id) => layers.get(id))).toEqual(expected)
    }),
    { numRuns: countRuns(200), endOnFailure: true },
  )
  expect(risen).toBeGreaterThan(countRuns(200) / 2)
})
