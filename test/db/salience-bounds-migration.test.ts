import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { computePruneAt, type PrunableState } from '../../src/domain/lifecycle/curves.ts'
import { openDatabaseAt } from '../support/servers/migrate-down.ts'

const database = await openDatabaseAt('0020_tallies')
afterAll(() => database.close())

/** Inserts every curve with every half-life, pinned or with a floor, an end or its own policy; and one valid record. */
async function storeAsBefore(): Promise<void> {
  await sql`
    insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at, scope,
      salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds, max_age_seconds,
      expires_at, min_salience, reinforcement_gain, max_salience, importance, base_importance, emotional_valence,
      access_count, confirmation_count, version, curve, deletion_policy, pinned)
    select gen_random_uuid(), 'semantic', 'low', 'semantic', 'fact', 'active', 'ai', 1, born, '', base, base, born, born,
      born, half_life, case when ends then 86400 else 0 end, case when ends then born + interval '1 day' end, floor,
      case when base > 1000 then 1.7e308 else 1 end, case when base > 1000 then 1.7e308 end, 0, 0, 0, 0, 0, 1,
      curve::decay_curve, policy::deletion_policy, pinned
    from unnest(array[1.7e308, 1000.5, 7]) as base, unnest(array['exponential', 'linear', 'custom', 'huber', 'elastic']) as curve,
      unnest(array[1, 86400, 100000000000]) as half_life, unnest(array[0, 0.5]) as floor, unnest(array[true, false]) as ends,
      unnest(array['auto_prune', 'never']) as policy, unnest(array[true, false]) as pinned,
      (values (timestamptz '2026-01-01 00:00:00.123+00')) as moment (born)
  `.execute(database.db)
}

type Row = PrunableState & {
  salience: number
  reinforcement_gain: number
  max_salience: number | null
  prune_at: Date | null
}

it('the migration lowers a salience above 1,000 and recomputes the deadline of each record', async () => {
  await storeAsBefore()
  await sql`update lifecycle_policies set reinforcement_gain = 1e300, max_salience = 1e300 where type = 'entity'`.execute(
    database.db,
  )
  await migrateUp(database.db)
  const { rows } = await sql<Row>`select * from records`.execute(database.db)
  expect(rows).toHaveLength(720)
  for (const row of rows.filter(({ base_salience: base }) => base !== 7)) {
    expect(row).toMatchObject({
      base_salience: 1_000,
      salience: 1_000,
      reinforcement_gain: 1_000,
      max_salience: 1_000,
    })
    expect(row.prune_at, JSON.stringify(row)).toEqual(computePruneAt(row))
  }
  expect(rows.filter(({ base_salience: base }) => base === 7)).toHaveLength(240)
  const { rows: policies } = await sql`
    select reinforcement_gain, max_salience from lifecycle_policies where type = 'entity'
  `.execute(database.db)
  expect(policies).toEqual([{ reinforcement_gain: 1_000, max_salience: 1_000 }])
})
