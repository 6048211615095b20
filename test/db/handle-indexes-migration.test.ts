import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { createFactHandle, nameHandle } from '../../src/domain/identity/handles.ts'
import { lookUpHandles } from '../../src/records/index.ts'
import { create, fact, payloads } from '../support/requests/record-requests.ts'
import { migrateDown } from '../support/servers/migrate-down.ts'
import { startTestApp } from '../support/test-app.ts'

const before = '0064_handle_plans'
const scope = 'team'

const app = await startTestApp()
beforeAll(async () => {
  await create(app, { type: 'entity', payload: payloads.entity, scope })
  for (const object of ['tabs', 'spaces']) await create(app, indentation(object))
})
afterAll(() => app.close())

const indentation = (object: string) => fact({ payload: { ...payloads.semantic, object }, scope })

/** For each handle the numbers of the records that it finds, and of those with the same detail. */
async function countKnown() {
  const handles = [
    nameHandle(payloads.entity.canonical_name),
    ...['tabs', 'spaces', 'both'].map((object) => createFactHandle({ ...payloads.semantic, object })),
  ]
  const lookups = handles.map((handle) => ({ ...handle, scope, lock: 'if_unused' as const }))
  const { matches } = await app.db.transaction().execute((tx) => lookUpHandles(tx, lookups, 'high'))
  return matches.map(({ known }) => [known.length, known.filter(({ is_same: isSame }) => isSame).length])
}

/** The bytes that handles of facts add to the index of places. */
async function measurePlaces(): Promise<number> {
  const size = sql<{ bytes: number }>`select pg_relation_size('handles_place')::int as bytes`
  const { rows: empty } = await size.execute(app.db)
  await sql`
    insert into handles (digest, detail, record_id, scope)
    select decode(md5(random()::text), 'hex'), decode(md5(random()::text), 'hex'), h.record_id, h.scope
    from (select * from handles limit 1) as h cross join generate_series(1, 2000)
  `.execute(app.db)
  const { rows: full } = await size.execute(app.db)
  return (full[0]?.bytes ?? 0) - (empty[0]?.bytes ?? 0)
}

/** Names a record in many scopes, as users do who all have a colleague of one name. */
async function nameInManyScopes(name: string): Promise<void> {
  await sql`
    insert into handles (digest, record_id, scope)
    select ${nameHandle(name).digest}, h.record_id, 'user ' || n
    from (select * from handles limit 1) as h cross join generate_series(1, 2000) as n
  `.execute(app.db)
  await sql`analyze handles`.execute(app.db)
}

/** The handles that a transaction reads to look up a name. */
async function countRead(name: string): Promise<number> {
  const lookup = { ...nameHandle(name), scope, lock: 'if_unused' as const }
  const { rows } = await app.db.transaction().execute(async (tx) => {
    await lookUpHandles(tx, [lookup], 'high')
    return sql<{ fetched: number }>`
      select idx_tup_fetch::int as fetched from pg_stat_xact_user_tables where relname = 'handles'
    `.execute(tx)
  })
  return rows[0]?.fetched ?? Number.NaN
}

/** Gives the record with a name a place among those of this name. */
const takePlace = (place: number) =>
  sql`insert into handles (digest, record_id, place, scope)
    select digest, record_id, ${place}, scope from handles where detail is null and place is null`.execute(
    app.db,
  )

it('the migration of the indexes of handles finds the same records, and can be reverted', async () => {
  const found = [
    [1, 1],
    [2, 1],
    [2, 1],
    [2, 0],
  ]
  expect(await countKnown()).toEqual(found)
  expect(await migrateDown(app.db, before)).toContain('0068_handle_indexes')
  expect(await countKnown()).toEqual(found)
  await migrateUp(app.db)
  expect(await countKnown()).toEqual(found)
})

it('a place is taken once, and facts are not in its index', async () => {
  for (const place of [0, 1]) await takePlace(place)
  await expect(takePlace(1)).rejects.toMatchObject({ code: '23505', constraint: 'handles_place' })
  expect(await measurePlaces()).toBe(0)
})

it('a name is looked up without the handles of other scopes', async () => {
  await measurePlaces()
  await nameInManyScopes('Maria')
  expect(await countRead('Maria')).toBeLessThan(10)
})
