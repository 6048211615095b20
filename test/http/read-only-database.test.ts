import { afterEach, beforeEach, expect, it } from 'vitest'
import { translateFailure } from '../../src/db/failures.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { create, fact } from '../support/requests/record-requests.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeEach(async () => {
  app = await startTestApp()
})
afterEach(() => app.close())

/** As on a standby before its promotion, or where an operator or a hosting service protects a full disk. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const { url } = app.database
  await administer(
    url,
    'set default_transaction_read_only = off',
    `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_read_only = ${isReadOnly}`,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
}

it('a database that accepts no writes answers reads, and refuses writes until it accepts them again', async () => {
  const { id } = await create(app, fact())
  await setReadOnly(true)
  await expect
    .poll(async () => (await app.request('POST', '/v1/records', { body: fact() })).status)
    .not.toBe(201)
  const refused = await app.request('POST', '/v1/records', { body: fact() })
  expect(refused).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  expect(refused.headers.get('retry-after')).not.toBeNull()
  expect((await app.request('GET', `/v1/records/${id}`)).status).toBe(200)
  await setReadOnly(false)
  await expect.poll(async () => (await app.request('POST', '/v1/records', { body: fact() })).status).toBe(201)
})

it.each(['EHOSTUNREACH', 'ENETUNREACH'])('a server behind a broken network (%s) is an outage', (code) => {
  const failure = translateFailure(Object.assign(new Error(`connect ${code} 10.0.0.1:5432`), { code }))
  expect(failure).toBeInstanceOf(AppError)
  expect(failure).toMatchObject({ code: 'database_unavailable' })
})
