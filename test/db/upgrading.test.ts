import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import type { Database } from '../../src/db/connection.ts'
import { listPendingMigrations, migrateUp } from '../../src/db/migrator.ts'
import { openEmptyTestDatabase } from '../support/servers/database.ts'
import { migrateTo } from '../support/servers/migrate-down.ts'
import {
  type Catalogue,
  findIncompatibilities,
  readCatalogue,
} from '../support/statements/schema-catalogue.ts'

const names = Object.keys(migrations)
/** The catalogue after each migration. */
const states: Catalogue[] = []
const observed = Object.fromEntries(
  Object.entries(migrations).map(([name, { up }]) => [
    name,
    {
      up: async (db: Database) => {
        await up(db)
        states.push(await readCatalogue(db))
      },
    },
  ]),
)

const connection = await openEmptyTestDatabase(2)
await migrateTo(connection.db, names.at(-1) ?? '', observed)
afterAll(() => connection.close())

describe('the last version on the schema of the next one', () => {
  it('finds every column it reads and may write what it wrote, after every migration', () => {
    const obstacles = names.slice(1).flatMap((name, index) => {
      const before = states[index]
      const after = states[index + 1]
      return before && after ? findIncompatibilities(before, after).map((each) => `${name}: ${each}`) : []
    })
    expect(states.at(-1)?.columns.size).toBeGreaterThan(100)
    expect(obstacles).toEqual([])
  })

  it.each([
    ['alter table contents drop column tags cascade', 'contents.tags is gone'],
    ['alter table contents rename column tags to labels', 'contents.tags is gone'],
    ['alter table records alter column version type int8', 'records.version is of another type'],
    ['alter table records alter column forgotten_by set not null', 'records.forgotten_by must be given'],
    ['alter table records add column mood text not null', 'records.mood is new and must be given'],
    ['alter table records add constraint calm check (version < 9)', 'calm asks more of what was there'],
    ['create unique index one_each on contents (tags)', 'one_each asks more of what was there'],
  ])('would be broken by `%s`', async (statement, obstacle) => {
    const before = await readCatalogue(connection.db)
    await expect(
      connection.db.transaction().execute(async (tx) => {
        await sql.raw(statement).execute(tx)
        throw new Error(findIncompatibilities(before, await readCatalogue(tx)).join())
      }),
    ).rejects.toThrow(obstacle)
  })

  it('does not touch a database that is ahead of it', async () => {
    await sql`insert into kysely_migration (name, timestamp) values ('9999_later', 'later')`.execute(
      connection.db,
    )
    expect(await listPendingMigrations(connection.db)).toEqual([])
    expect(await migrateUp(connection.db)).toEqual([])
    await sql`delete from kysely_migration where name = '9999_later'`.execute(connection.db)
  })
})
