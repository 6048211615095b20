import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { migrateDown, openDatabaseAt } from '../support/servers/migrate-down.ts'

let database: Awaited<ReturnType<typeof openDatabaseAt>>
beforeAll(async () => {
  database = await openDatabaseAt('0074_erased_words')
})
afterAll(() => database.close())

/** A record that was revised: both logs have the reason, and the successor has descent. */
async function storeRevised(kind?: 'purged'): Promise<{ old: string; next: string }> {
  const [old, next, operation] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  await sql`
    with move as (
      insert into status_changes (record_id, at, old, new, actor, reason, step)
      values (${old}, now(), 'active', 'superseded', 'ada', 'her name', 'supersede')
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground) values (${next}, ${old}, 'supersede', false)
    )
    insert into audit_entries (record_id, at, action, actor, rationale, operation_id) values
      (${next}, now(), 'create', 'ada', '', ${operation}), (${old}, now(), 'revise', 'ada', 'her name', ${operation})
  `.execute(database.db)
  if (kind) await depart(next, kind)
  return { old, next }
}

async function depart(id: string, kind: 'purged' | 'erased'): Promise<void> {
  await sql`
    insert into departures (id, created_at, departed_at, scope, type, sensitivity, kind, reason, actor, numbers)
    values (${id}, now(), now(), '', 'semantic', 'low', ${kind}, ${kind}, 'desk', '{}')
    on conflict (id) do update set kind = excluded.kind
  `.execute(database.db)
}

/** What is left of the words and the descent of the two records. */
async function readLeft({ old, next }: { old: string; next: string }) {
  const { rows } = await sql`
    select exists (select from descents where derived_id = ${next} or source_id = ${next}) as descent,
      (select string_agg(rationale, '') from audit_entries where record_id = ${old}) as rationale,
      (select reason from status_changes where record_id = ${old}) as reason
  `.execute(database.db)
  return rows[0]
}

const all = { descent: true, rationale: 'her name', reason: 'her name' }
const nothing = { descent: false, rationale: '', reason: '' }

it('what a version before left of an erase is removed, and what it leaves from then on', async () => {
  const [left, purged, kept] = [await storeRevised(), await storeRevised('purged'), await storeRevised()]
  await depart(left.next, 'erased')
  expect(await readLeft(left)).toEqual(all)
  await migrateUp(database.db)
  expect([await readLeft(left), await readLeft(purged), await readLeft(kept)]).toEqual([nothing, all, all])
  await depart(kept.next, 'purged')
  expect(await readLeft(kept)).toEqual(all)
  for (const each of [purged, await storeRevised()]) {
    await depart(each.next, 'erased')
    expect(await readLeft(each)).toEqual(nothing)
  }
  await migrateDown(database.db, '0074_erased_words')
  await migrateUp(database.db)
})
