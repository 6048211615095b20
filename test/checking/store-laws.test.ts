import { sql } from 'kysely'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createChecking, allLaws as laws } from '../../src/checking/checking.service.ts'
import { connect, type Database } from '../../src/db/connection.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { createValidStore } from './create-valid-store.ts'
import { lawViolations } from './law-violations.ts'

const app = await createValidStore()
afterAll(() => app.close())

class Undone extends Error {}

/** Breaks the store with a statement, looks at it, and rolls back. */
async function broken(statement: string, look: (tx: Database) => Promise<void>): Promise<void> {
  const done = app.db.transaction().execute(async (tx) => {
    await liftGuards(tx)
    await sql.raw(statement).execute(tx)
    await look(tx)
    throw new Undone()
  })
  await expect(done).rejects.toThrow(Undone)
}

async function liftGuards(tx: Database): Promise<void> {
  await sql`set local session_replication_role = replica`.execute(tx)
  const { rows } = await sql<{ table: string; name: string }>`
    select conrelid::regclass::text as table, conname as name from pg_constraint
    where contype = 'c' and conislocal and connamespace = 'public'::regnamespace and conname <> 'records_counts'
  `.execute(tx)
  for (const { table, name } of rows) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx)
  }
}

it('a valid store keeps every law', async () => {
  expect(await listBrokenLaws(app)).toEqual([])
})

it('every law has rows to check', async () => {
  for (const { name, find } of laws) {
    expect(await find(app.db, app.clock.now()), name).toMatchObject({ broken: 0 })
    expect((await find(app.db, app.clock.now())).checked, name).toBeGreaterThan(0)
  }
})

it('every law has a unique name and a violation', () => {
  expect(Object.keys(lawViolations).sort()).toEqual(laws.map(({ name }) => name).sort())
})

describe.each(laws)('law $name', ({ name, find }) => {
  it.each(lawViolations[name] ?? [])('detects %s', async (statement) => {
    await broken(statement, async (tx) => {
      const { broken: count, named } = await find(tx, app.clock.now())
      expect(count).toBeGreaterThan(0)
      expect(named.length).toBeGreaterThan(0)
      expect(named.every((each) => /^[\w .:-]+$/.test(each))).toBe(true)
    })
  })
})

it('a law that takes too long is reported as unchecked, and the next one is checked', async () => {
  const hurried = connect({
    url: app.database.url,
    poolSize: 1,
    statementTimeoutMs: 1,
    lockTimeoutMs: 1_000,
    applicationName: 'membrane test',
  })
  onTestFinished(() => hurried.close())
  const lines = await listBrokenLaws({ db: hurried.db, clock: app.clock })
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatch(/^\? {7}[a-z ]+: not checked, the database took too long$/)
})

it('a law that would write is refused by the database', async () => {
  const find = async (db: Database) => {
    await sql`update records set version = version + 1`.execute(db)
    return { checked: 0, broken: 0, named: [] }
  }
  const { check } = createChecking({ ...app, laws: [{ name: 'meddling', statement: 'nothing', find }] })
  await expect(check().next()).rejects.toMatchObject({ code: '25006' })
})

it('a broken law is reported in one line with ids and without content', async () => {
  const [id] = (await sql<{ id: string }>`update records set version = 9 returning id`.execute(app.db)).rows
  const [line, ...others] = await listBrokenLaws(app)
  expect(others).toEqual([])
  expect(line).toMatch(/^BROKEN {2}audit: \d+ of \d+: every version has an audit entry: [0-9a-f-]{36}, /)
  expect(id).toBeDefined()
})
