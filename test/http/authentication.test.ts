import { request as send } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createApp } from '../../src/http/app.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createNotesRoutes, createNotesTable } from '../support/apps/notes-routes.ts'
import { createTestClock } from '../support/clock.ts'
import { rootKey, startTestApp, type TestApp } from '../support/test-app.ts'

const routes = createNotesRoutes({ now: async () => {} })

/** fetch does not let a program set Host or Origin, so this uses node:http. */
function sendWith(url: string, method: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = send(
      url,
      { method, headers: { 'content-type': 'application/json', ...headers } },
      (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.end(method === 'GET' ? undefined : '{"text":"x"}')
  })
}

describe('with a root key', () => {
  let api: TestApp
  beforeAll(async () => {
    api = await startTestApp({ routes })
    await createNotesTable(api.db)
  })
  afterAll(() => api.close())

  it('every route except the open ones requires a key', async () => {
    const document = api.app.swagger() as unknown as {
      paths: Record<string, Record<string, { security: unknown[] }>>
    }
    const open: string[] = []
    // There is nothing at the paths of tenants without them; see test/tenants.
    const served = Object.entries(document.paths).filter(([path]) => !path.startsWith('/v1/tenants'))
    for (const [path, operations] of served) {
      for (const [method, operation] of Object.entries(operations)) {
        const url = path.replaceAll(/\{[^}]+\}/g, '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11')
        const { status, headers } = await api.request(method.toUpperCase(), url, { key: false })
        if (status !== 401) open.push(path)
        else expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
        expect(operation.security).toHaveLength(status === 401 ? 1 : 0)
      }
    }
    expect(open.sort()).toEqual(['/livez', '/readyz'])
  })

  it.each([
    ['another', `Bearer ${rootKey}x`],
    ['part of it', `Bearer ${rootKey.slice(0, -1)}`],
    ['another scheme', `Basic ${rootKey}`],
    ['no scheme', rootKey],
    ['nothing', 'Bearer '],
    ['two', `Bearer ${rootKey} ${rootKey}`],
    ['an unknown key of the right form', `Bearer mbk_${'A'.repeat(43)}`],
    ['a very long one', `Bearer ${'x'.repeat(5_000)}`],
  ])('%s is not accepted as the key', async (_name, authorization) => {
    const answer = await api.request('GET', '/v1/keys', { key: false, headers: { authorization } })
    expect(answer.status).toBe(401)
    expect(answer.text).not.toContain('root-key')
  })

  it('the scheme is case-insensitive', async () => {
    const answer = await api.request('GET', '/v1/keys', {
      key: false,
      headers: { authorization: `bearer ${rootKey}` },
    })
    expect(answer.status).toBe(200)
  })

  it('a key can do what its permissions allow and nothing else', async () => {
    const reader = await api.issueKey(['records:read'])
    const refused = await api.request('POST', '/v1/notes', { key: reader, body: { text: 'x' } })
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({
      code: 'forbidden',
      detail: 'This operation needs the permission records:write.',
    })
    expect((await api.request('GET', '/v1/failure', { key: reader })).status).toBe(200)
  })

  it('a key with admin can do everything', async () => {
    const admin = await api.issueKey(['admin'])
    expect((await api.request('POST', '/v1/notes', { key: admin, body: { text: 'x' } })).status).toBe(201)
  })

  it('a request from another origin is allowed with a key, because a browser does not send one by itself', async () => {
    const headers = {
      authorization: `Bearer ${rootKey}`,
      origin: 'https://page.example',
      host: 'membrane.example',
    }
    expect(await sendWith(`${api.url}/v1/notes`, 'POST', headers)).toBe(201)
  })
})

describe('without a root key', () => {
  let api: TestApp
  afterEach(() => api.close())
  const start = async (variables = {}) => {
    api = await startTestApp({ routes, variables: { MEMBRANE_API_KEY: '', ...variables } })
    await createNotesTable(api.db)
  }

  it('requests from this machine can do everything', async () => {
    await start()
    expect((await api.request('POST', '/v1/notes', { key: false, body: { text: 'x' } })).status).toBe(201)
    expect((await api.request('GET', '/v1/keys', { key: false })).status).toBe(200)
  })

  it('a wrong key is still refused', async () => {
    await start()
    expect((await api.request('GET', '/v1/keys', { key: 'wrong' })).status).toBe(401)
  })

  it('a foreign host name that resolves to this machine is refused', async () => {
    await start()
    const keys = `${api.url}/v1/keys`
    expect(await sendWith(keys, 'GET', { host: 'attacker.example' })).toBe(403)
    expect(await sendWith(keys, 'GET', { host: 'localhost:1234' })).toBe(200)
  })

  it('a page of another site cannot change anything', async () => {
    await start()
    const { host } = new URL(api.url)
    const notes = `${api.url}/v1/notes`
    expect(await sendWith(notes, 'POST', { origin: 'https://attacker.example' })).toBe(403)
    expect(await sendWith(notes, 'POST', { origin: 'null' })).toBe(403)
    expect(await sendWith(notes, 'POST', { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await sendWith(notes, 'POST', { 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await sendWith(notes, 'POST', { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toBe(
      201,
    )
  })

  it('requests from other machines are served only with MEMBRANE_ALLOW_ANONYMOUS', async () => {
    await start({ MEMBRANE_ALLOW_ANONYMOUS: 'true' })
    expect(await sendWith(`${api.url}/v1/keys`, 'GET', { host: 'membrane.example' })).toBe(200)
    expect(await sendWith(`${api.url}/v1/notes`, 'POST', { origin: 'https://attacker.example' })).toBe(403)
  })
})

it('an app does not start when a route declares no permission', async () => {
  const clock = createTestClock()
  const app = await createApp({
    config: readConfig({}),
    pool: { waitingCount: 0 },
    clock,
    ids: createIds(clock),
    authenticate: async () => undefined,
    checks: {},
    log: { level: 'silent' },
    routes: [async (instance) => void instance.get('/v1/undeclared', async () => ({}))],
  })
  await expect(app.ready()).rejects.toThrow('no permission is declared for GET /v1/undeclared')
  await app.close()
})
