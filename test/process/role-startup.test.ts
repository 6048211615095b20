import { resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { launch, until } from '../support/processes/processes.ts'
import { launchRole, openMigratedDatabase, parseLogLines } from '../support/processes/roles.ts'
import { createAsciiTestDatabase, createEmptyTestDatabase } from '../support/servers/database.ts'

const main = resolve(import.meta.dirname, '../../src/main.ts')

it('lists every configuration problem at once and ends with 2', async () => {
  const running = launchRole('api', { PORT: 'many', MEMBRANE_SHUTDOWN_TIMEOUT: 'soon', MEMBRANE_TYPO: '1' })
  expect(await running.ended).toEqual({ code: 2, signal: null })
  for (const name of ['PORT', 'MEMBRANE_SHUTDOWN_TIMEOUT', 'MEMBRANE_TYPO'])
    expect(running.output()).toContain(name)
  expect(running.output()).not.toMatch(/\n\s+at /)
})

it.each(['api', 'worker', 'migrate'])('the role %s requires a database', async (role) => {
  const running = launchRole(role, {})
  expect(await running.ended).toEqual({ code: 2, signal: null })
  expect(running.output()).toContain(`DATABASE_URL must be set for the role ${role}`)
})

it.each(['api', 'worker', 'migrate'])(
  'the role %s refuses a text language that the database does not know',
  async (role) => {
    const { url } = await openMigratedDatabase()
    const running = launchRole(role, { DATABASE_URL: url, PORT: '0', MEMBRANE_TEXT_LANGUAGE: 'klingon' })
    expect(await running.ended, running.output()).toEqual({ code: 2, signal: null })
    expect(running.output()).toContain('MEMBRANE_TEXT_LANGUAGE is klingon')
    expect(running.output()).not.toMatch(/\n\s+at /)
  },
)

it('an unknown role is refused with a list of the six roles', async () => {
  const running = launchRole('everything', {})
  expect(await running.ended).toEqual({ code: 2, signal: null })
  expect(running.output()).toContain('api, worker, migrate, all, check, mcp')
})

it('refuses an argument of a role, and prints how the command is used', async () => {
  const refused = launch([main, 'check', '--quick'], { env: {} })
  expect(await refused.ended).toEqual({ code: 2, signal: null })
  expect(refused.output()).toBe("Unknown option '--quick'; --help lists the arguments.\n")
  for (const args of [['--help'], ['check', '--help'], ['mcp', '--help']]) {
    const helped = launch([main, ...args], { env: {} })
    expect(await helped.ended).toEqual({ code: 0, signal: null })
    expect(helped.output()).toMatch(/^Usage: node src\/main\.ts \[ROLE\]\n/)
  }
})

it('reports why a database is unreachable, without the password', async () => {
  const running = launchRole('migrate', { DATABASE_URL: 'postgres://someone:hunter2@127.0.0.1:1/x' })
  expect(await running.ended).toEqual({ code: 1, signal: null })
  expect(running.output()).toContain('is unavailable at the moment (ECONNREFUSED)')
  expect(running.output()).not.toContain('hunter2')
})

it('before a database is migrated an API answers 503 in plain words and a worker refuses it; then the API serves it', async () => {
  const database = await createEmptyTestDatabase()
  onTestFinished(() => database.drop())
  const variables = { DATABASE_URL: database.url, MEMBRANE_API_KEY: 'a-root-key-of-a-test' }
  const key = variables.MEMBRANE_API_KEY
  const worker = launchRole('worker', variables)
  const api = launchRole('api', { ...variables, PORT: '0' })
  const [, url] = await api.waitForOutput(/"msg":"Server listening at (http:[^"]+)"/)
  const request = (path: string, token: string, message?: object) =>
    fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(message ? { method: 'POST', body: JSON.stringify(message) } : {}),
    })
  for (const token of [key, `mbk_${'a'.repeat(43)}`]) {
    const answer = await request('/v1/records', token)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await answer.json()).toMatchObject({
      code: 'not_ready',
      detail: 'The database lacks migrations: the role migrate has not run for this version.',
    })
  }
  const params = { name: 'recall', arguments: { query: 'When are invoices sent?' } }
  const called = await request('/mcp', key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  expect(await called.text()).toMatch(/not_ready.*The database lacks migrations/)
  expect((await request('/readyz', key)).status).toBe(503)
  await api.waitForOutput(/the database lacks migrations; run the role migrate/)
  expect(await worker.ended).toEqual({ code: 1, signal: null })
  expect(worker.output()).toContain('run the role migrate first')

  expect(await launchRole('migrate', variables).ended).toMatchObject({ code: 0 })
  expect((await request('/v1/records', key)).status).toBe(200)
  await until('the API to be ready', async () => (await request('/readyz', key)).ok)
})

it('concurrent migrations run once', async () => {
  const database = await createEmptyTestDatabase()
  onTestFinished(() => database.drop())
  const processes = [1, 2].map(() => launchRole('migrate', { DATABASE_URL: database.url }))
  for (const running of processes)
    expect(await running.ended, running.output()).toEqual({ code: 0, signal: null })
  const applied = processes.map((running) => parseLogLines(running)[0]?.['applied'] as string[])
  expect(applied.map(({ length }) => length).sort()).toEqual([0, Object.keys(migrations).length])
})

it('a migration warns of a locale that knows no capital letters beyond ASCII', async () => {
  for (const [create, isWarned] of [
    [createAsciiTestDatabase, true],
    [createEmptyTestDatabase, false],
  ] as const) {
    const database = await create()
    onTestFinished(() => database.drop())
    const running = launchRole('migrate', { DATABASE_URL: database.url })
    expect(await running.ended, running.output()).toEqual({ code: 0, signal: null })
    expect(running.output().includes('the locale of the database knows no capital letters')).toBe(isWarned)
  }
})
