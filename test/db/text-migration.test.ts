import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import type { Trust } from '../../src/domain/trust/caller.ts'
import { readQuery } from '../../src/domain/words/text-query.ts'
import { createTextSearch } from '../../src/retrieval/text/text-search.service.ts'
import { createTestClock } from '../support/clock.ts'
import { migrateDown, openDatabaseAt } from '../support/servers/migrate-down.ts'
import { idOf } from '../support/texts/numbered-ids.ts'

const database = await openDatabaseAt('0005_knowledge')
afterAll(() => database.close())

async function storeAsBefore(count: number): Promise<void> {
  await sql`
    with drawn as (
      select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id, n
      from generate_series(1, ${count}::int) as n
    ), record as (
      insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
        scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
        max_age_seconds, min_salience, reinforcement_gain, importance, base_importance, emotional_valence,
        access_count, confirmation_count, version, curve, deletion_policy, pinned)
      select id, 'semantic', 'low', 'semantic', 'fact', 'active', 'ai', 1, now(), 'project-' || n % 2, 1, 1, now(),
        now(), now(), 86400, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'exponential', 'auto_prune', false
      from drawn
    )
    insert into contents (record_id, tags, payload, provenance, search)
    select id, '{}', '{}', '{"sources": [{}]}', to_tsvector('english', case n
      when 1 then 'failures in src/main.ts'
      when 2 then 'moved on 2026-03-28 for the user-auth'
      when 3 then 'max_retry_count and getUserProfile'
      when 4 then 'https://example.org/' || repeat('a.b/', 450) || 'endmost'
      else 'filler ' || n end)
    from drawn
  `.execute(database.db)
}

it('the text migration makes earlier records findable by their identifiers, and can be reverted', async () => {
  // More than one batch.
  await storeAsBefore(5_100)
  await migrateUp(database.db)
  const channel = createTextSearch({ clock: createTestClock(), textLanguage: 'english' })
  const find = async (sentence: string, scopes: string[] | null = null) => {
    const trust: Trust = { maxSensitivity: 'hyper', scopes }
    const found = await channel.find(database.db, {
      query: readQuery(sentence),
      trust,
      conditions: [],
      limit: 1,
    })
    return found.map(({ id }) => id)
  }
  for (const [sentence, n] of [
    ['src/main.ts', 1],
    ['main', 1],
    ['2026-03-28', 2],
    ['auth', 2],
    ['user-auth', 2],
    ['max_retry_count', 3],
    ['retry', 3],
    ['getUserProfile', 3],
    ['endmost', 4],
    ['5099', 5_099],
  ] as const) {
    expect(await find(sentence), sentence).toEqual([idOf(n)])
  }
  expect(await find('main', ['project-1'])).toEqual([idOf(1)])
  expect(await find('main', ['project-0'])).toEqual([])
  const lengths = sql<{ words: number }>`select words from contents where record_id = ${idOf(5_000)}::uuid`
  expect((await lengths.execute(database.db)).rows).toEqual([{ words: 2 }])

  await migrateDown(database.db, '0005_knowledge')
  const left = sql<{ count: number }>`
    select count(*) as count from contents, unnest(tsvector_to_array(search)) as word where word like '% %'
  `
  expect((await left.execute(database.db)).rows).toEqual([{ count: 0 }])
}, 60_000)
