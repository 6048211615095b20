import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Connection } from '../../src/db/connection.ts'
import { isOutage } from '../../src/db/failures.ts'
import { runWriting } from '../../src/db/request-scope.ts'
import { sendWithNext } from '../../src/db/statements/deferred-statements.ts'
import { type Transaction, transact } from '../../src/db/transaction.ts'
import { openEmptyTestDatabase } from '../support/servers/database.ts'

const connection = await openEmptyTestDatabase(1)
await sql`create table numbers (number int primary key)`.execute(connection.db)
await sql`create sequence tries`.execute(connection.db)
await sql`create function fail_once() returns void language plpgsql as $$
  begin
    if nextval('tries') = 1 then raise sqlstate '40001'; end if;
  end $$`.execute(connection.db)
beforeEach(async () => {
  await sql`truncate numbers`.execute(connection.db)
  await sql`alter sequence tries restart`.execute(connection.db)
})
afterEach(() => void vi.restoreAllMocks())
afterAll(() => connection.close())

const add = (tx: Transaction, number: number) =>
  sendWithNext(() => sql`insert into numbers values (${number})`.execute(tx))
const readNumbers = async (db: Connection['db'] = connection.db) => {
  const { rows } = await sql<{ number: number }>`select number from numbers order by number`.execute(db)
  return rows.map(({ number }) => number)
}
const endSession = (tx: Transaction) =>
  sendWithNext(() => sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx))

/** The one connection of the pool is in no transaction, and the next request can use it. */
async function expectUsable(numbers: readonly number[]): Promise<void> {
  const { rows } = await sql<{ at_once: boolean }>`
    select pg_current_xact_id_if_assigned() is null and now() = statement_timestamp() as at_once
  `.execute(connection.db)
  expect(rows).toEqual([{ at_once: true }])
  expect(await readNumbers()).toEqual(numbers)
  await transact(connection.db, { readsFirst: true }, async (tx) => add(tx, 99))
  expect(await readNumbers()).toEqual([...numbers, 99])
}

it.each([
  ['the next statement', readNumbers],
  ['the commit', async () => []],
])('a session that ends before %s stores nothing, and is not used again', async (_, next) => {
  const writing = { hasCommitted: false }
  const work = runWriting(writing, () =>
    transact(connection.db, { readsFirst: true }, async (tx) => {
      await readNumbers(tx)
      await add(tx, 1)
      await endSession(tx)
      await add(tx, 2)
      return next(tx)
    }),
  )
  // Depending on what comes first: the message of the server or the end of the connection.
  expect(isOutage(await work.catch((error: unknown) => error))).toBe(true)
  expect(writing.hasCommitted).toBe(false)
  await expectUsable([])
})

it.each([
  ['reads first', readNumbers],
  ['writes first', (tx: Transaction) => add(tx, 1)],
  ['does nothing', async () => undefined],
])('work that %s fails where its transaction cannot begin, and stores nothing', async (_, first) => {
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown
  let isFirst = true
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const [text, ...rest] = given
    const fails = text === 'begin' && isFirst
    if (fails) isFirst = false
    return query.call(this, fails ? 'begin nothing' : text, ...rest)
  } as never)
  await expireConnection()
  const work = transact(connection.db, { readsFirst: true }, async (tx) => {
    await first(tx)
    await add(tx, 2)
  })
  await expect(work).rejects.toMatchObject({ code: '42601' })
  await expectUsable([])
})

/** A new connection meets what was changed in the driver. */
async function expireConnection(): Promise<void> {
  const client = await connection.pool.connect()
  client.release(true)
}

it('work is done again where a deferred statement met another transaction, and is stored once', async () => {
  let attempts = 0
  const read = await transact(connection.db, { readsFirst: true }, async (tx) => {
    attempts += 1
    await readNumbers(tx)
    await add(tx, attempts)
    await sendWithNext(() => sql`select fail_once()`.execute(tx))
    return readNumbers(tx)
  })
  expect([attempts, read]).toEqual([2, [2]])
  await expectUsable([2])
})
