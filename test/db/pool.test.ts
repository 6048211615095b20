import { CompiledQuery, sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { openEmptyTestDatabase } from '../support/servers/database.ts'

const connection = await openEmptyTestDatabase(1)
afterAll(() => connection.close())

it('a connection whose transaction failed as it began is used by the next', async () => {
  const { db } = connection
  const begun = db.executeQuery(CompiledQuery.raw('start transaction; select 1 / 0'))
  await expect(begun).rejects.toMatchObject({ code: '22012' })
  const work = db.transaction().execute((tx) => sql<{ one: number }>`select 1 as one`.execute(tx))
  expect((await work).rows).toEqual([{ one: 1 }])
})
