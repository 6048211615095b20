import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/db/connection.ts'
import { migrateUp } from '../../src/db/migrator.ts'
import { createEmptyTestDatabase } from '../support/database.ts'
import { findFreePort } from '../support/postgres-processes.ts'
import { until } from '../support/processes.ts'
import { launchRole } from '../support/roles.ts'

async function migrated(): Promise<string> {
  const database = await createEmptyTestDatabase()
  onTestFinished(() => database.drop())
  const timeouts = { statementTimeoutMs: 20_000, lockTimeoutMs: 5_000 }
  const connection = connect({ url: database.url, poolSize: 1, ...timeouts, applicationName: 'test' })
  await migrateUp(connection.db)
  await connection.close()
  return database.url
}

it('every role refuses a text language that the database does not know', async () => {
  const url = await migrated()
  for (const role of ['api', 'worker', 'migrate', 'all']) {
    const running = launchRole(role, { DATABASE_URL: url, PORT: '0', MEMBRANE_TEXT_LANGUAGE: 'klingon' })
    expect(await running.ended, running.output()).toEqual({ code: 2, signal: null })
    expect(running.output()).toContain('MEMBRANE_TEXT_LANGUAGE is klingon')
    expect(running.output()).not.toMatch(/\n\s+at /)
  }
})

it('an API is not ready until the database has confirmed the text language', async () => {
  const port = await findFreePort()
  const variables = { PORT: String(port), MEMBRANE_TEXT_LANGUAGE: 'klingon' }
  launchRole('api', { DATABASE_URL: `postgres://127.0.0.1:${await findFreePort()}/x`, ...variables })
  const answer = await until('the API to answer', () =>
    fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined),
  )
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ parts: { configuration: { ready: false } } })
})

it('a role that serves tenants says with all other problems that it needs the root key', async () => {
  const variables = { MEMBRANE_TENANTS: 'on', MEMBRANE_DECAY_INTERVAL: '1ms' }
  for (const role of ['api', 'all']) {
    const running = launchRole(role, variables)
    expect(await running.ended).toEqual({ code: 2, signal: null })
    expect(running.output()).toContain('The configuration has 2 problems')
    expect(running.output()).toContain('MEMBRANE_TENANTS=on needs MEMBRANE_API_KEY')
    expect(running.output()).toContain('MEMBRANE_DECAY_INTERVAL must be a duration')
  }
  const worker = launchRole('worker', variables)
  expect(await worker.ended).toEqual({ code: 2, signal: null })
  expect(worker.output()).not.toContain('MEMBRANE_TENANTS')
})

it('an API refuses a retention beyond the calendar and names the variable', async () => {
  const running = launchRole('api', { MEMBRANE_FORGOTTEN_RETENTION: '99999999d' })
  expect(await running.ended).toEqual({ code: 2, signal: null })
  expect(running.output()).toContain('MEMBRANE_FORGOTTEN_RETENTION must be a duration')
})
