import { CompiledQuery, sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { connect } from '../../src/db/connection.ts'
import { createEmptyTestDatabase } from '../support/database.ts'

const database = await createEmptyTestDatabase()
const connection = connect({
  url: database.url,
  poolSize: 1,
  statementTimeoutMs: 20_000,
  lockTimeoutMs: 5_000,
  applicationName: 'test',
})
afterAll(async () => {
  await connection.close()
  await database.drop()
})

it('a connection whose transaction failed as it began is used by the next', async () => {
  const { db } = connection
  const begun = db.executeQuery(CompiledQuery.raw('start transaction; select 1 / 0'))
  await expect(begun).rejects.toMatchObject({ code: '22012' })
  const work = db.transaction().execute((tx) => sql<{ one: number }>`select 1 as one`.execute(tx))
  expect((await work).rows).toEqual([{ one: 1 }])
})
