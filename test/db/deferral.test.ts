import { Duplex } from 'node:stream'
import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Connection } from '../../src/db/connection.ts'
import { sendWithNext } from '../../src/db/statements/deferred-statements.ts'
import { type Transaction, transact } from '../../src/db/transaction.ts'
import { openEmptyTestDatabase } from '../support/servers/database.ts'

/** Each packet that was sent to the server. */
const write = vi.fn()
const connection = await openEmptyTestDatabase(1)
beforeAll(async () => {
  connection.pool.on('connect', watchPackets)
  await sql`create table numbers (number int primary key)`.execute(connection.db)
})
beforeEach(async () => {
  await sql`truncate numbers`.execute(connection.db)
  write.mockClear()
})
afterAll(() => connection.close())

function watchPackets({ connection: { stream } }: pg.PoolClient): void {
  if (!(stream instanceof Duplex)) throw new TypeError('not a stream')
  const { _write: writeOne, _writev: writeMany } = stream
  stream._write = (...given) => {
    write()
    writeOne.apply(stream, given)
  }
  stream._writev = (...given) => {
    write()
    writeMany?.apply(stream, given)
  }
}

const add = (tx: Transaction, number: number) =>
  sendWithNext(() => sql`insert into numbers values (${number})`.execute(tx))
const readNumbers = async (db: Connection['db'] = connection.db) => {
  const { rows } = await sql<{ number: number }>`select number from numbers order by number`.execute(db)
  return rows.map(({ number }) => number)
}
const again = { code: '23505' }

it('deferred statements are sent in one packet with the next one, which sees what they did', async () => {
  const read = await transact(connection.db, {}, async (tx) => {
    write.mockClear()
    await add(tx, 1)
    await add(tx, 2)
    return readNumbers(tx)
  })
  expect(read).toEqual([1, 2])
  expect(write).toHaveBeenCalledTimes(2)
})

it('outside of a transaction a statement is not deferred', async () => {
  const { rows } = await sendWithNext(() => sql<{ one: number }>`select 1 as one`.execute(connection.db))
  expect(rows).toEqual([{ one: 1 }])
})

it('the statement after a deferred one that failed fails with its error', async () => {
  const work = transact(connection.db, {}, async (tx) => {
    await add(tx, 1)
    await add(tx, 1)
    await add(tx, 2)
    return readNumbers(tx)
  })
  await expect(work).rejects.toMatchObject(again)
  expect(await readNumbers()).toEqual([])
})

it('the commit after a deferred statement that failed fails with its error', async () => {
  const work = transact(connection.db, {}, async (tx) => {
    await add(tx, 1)
    await add(tx, 1)
  })
  await expect(work).rejects.toMatchObject(again)
  expect(await readNumbers()).toEqual([])
})

it('an error of the work is not replaced by that of a deferred statement', async () => {
  const work = transact(connection.db, {}, async (tx) => {
    await add(tx, 1)
    await add(tx, 1)
    throw new Error('given up')
  })
  await expect(work).rejects.toThrow('given up')
  expect(await readNumbers()).toEqual([])
})

it('a savepoint takes back a deferred statement that failed', async () => {
  await transact(connection.db, {}, async (tx) => {
    await add(tx, 1)
    await sql`savepoint one`.execute(tx)
    await add(tx, 1)
    await sql`rollback to savepoint one`.execute(tx)
    await add(tx, 2)
  })
  expect(await readNumbers()).toEqual([1, 2])
})

it('a transaction that reads first begins with that statement', async () => {
  const read = await transact(connection.db, { readsFirst: true }, async (tx) => {
    const before = await readNumbers(tx)
    expect(write).toHaveBeenCalledTimes(1)
    await add(tx, before.length)
    throw new Error('given up')
  }).catch(() => readNumbers())
  expect(read).toEqual([])
})

it('a statement that changes something waits until the transaction has begun', async () => {
  const work = transact(connection.db, { readsFirst: true }, async (tx) => {
    await add(tx, 1)
    expect(write).toHaveBeenCalledTimes(2)
    throw new Error('given up')
  })
  await expect(work).rejects.toThrow('given up')
  expect(await readNumbers()).toEqual([])
})
