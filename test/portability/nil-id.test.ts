import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import { startTestApp } from '../support/test-app.ts'

const api = await startTestApp()
afterAll(() => api.close())

const nil = '00000000-0000-0000-0000-000000000000'
const fact = (object: string, id?: string) => ({
  ...(id === undefined ? {} : { id }),
  type: 'semantic',
  payload: { kind: 'semantic', subject: 's', predicate: 'p', object },
})

it('refuses the nil UUID as the id of a record', async () => {
  const { body } = await api.request('POST', '/v1/records', { body: fact('x', nil) })
  expect(body).toMatchObject({ status: 422, errors: [{ pointer: '/id' }] })
  const { reports } = await importLines(api, [fact('x', nil)])
  expect(reports).toMatchObject([{ status: 'invalid', problem: { errors: [{ pointer: '/id' }] } }])
})

it('exports a record that an earlier version stored under the nil UUID', async () => {
  expect((await exportLines(api)).records).toEqual([])
  const created = await api.request('POST', '/v1/records', { body: fact('kept') })
  const { id } = created.body as { id: string }
  await api.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`update contents set record_id = ${nil}::uuid where record_id = ${id}::uuid`.execute(tx)
    await sql`update records set id = ${nil}::uuid where id = ${id}::uuid`.execute(tx)
  })
  const { records } = await exportLines(api)
  expect(records.map((record) => record['id'])).toEqual([nil])
})
