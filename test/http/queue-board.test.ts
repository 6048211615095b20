import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type JobQueue, openQueue, prepareQueue } from '../../src/jobs/queue/queue.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createTestClock } from '../support/clock.ts'
import { rootKey, startTestApp, type TestApp } from '../support/test-app.ts'

const redisUrl = inject('redisUrl')
const backends = [
  { name: 'PostgreSQL', redis: undefined },
  ...(redisUrl === null ? [] : [{ name: 'Redis', redis: redisUrl }]),
]

const log = createLogger({ level: 'silent', clock: createTestClock(), write: () => {} })
const runId = '0197b9a0-0000-7000-8000-000000000001'
const basic = (password: string) => `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`

describe.each(backends)('the queue board with $name', ({ redis }) => {
  let api: TestApp
  let queue: JobQueue
  beforeAll(async () => {
    api = await startTestApp({
      showQueue: ({ databaseUrl }) => {
        const settings = { redisUrl: redis, databaseUrl, prefix: `board-${databaseUrl.split('/').at(-1)}` }
        queue = openQueue(settings, log)
        const prepared = prepareQueue(settings)
        return () => prepared.then(() => queue.show())
      },
    })
  })
  afterAll(async () => {
    await queue.close()
    await api.close()
  })

  const open = (path = '') => api.request('GET', `/admin/queues${path}`)

  it('shows an admin the waiting jobs and the backend', async () => {
    await open('/api/queues')
    await queue.enqueue('purge', { reason: 'tick' })
    await queue.enqueue('decay', { reason: 'request', run_id: runId })
    const { status, body } = await open('/api/queues?activeQueue=membrane&status=waiting&page=1')
    expect(status).toBe(200)
    const [shown] = (
      body as { queues: { name: string; counts: object; readOnlyMode: boolean; jobs: object[] }[] }
    ).queues
    expect(shown).toMatchObject({ name: 'membrane', counts: { waiting: 2 }, readOnlyMode: true })
    expect(shown?.jobs.map((job) => (job as { name: string }).name).sort()).toEqual(['decay', 'purge'])
    const [decay] = shown?.jobs.filter((job) => (job as { name: string }).name === 'decay') ?? []
    expect(decay).toMatchObject({ data: { reason: 'request', run_id: runId } })
    expect((await open('/api/redis/stats')).status).toBe(200)
  })

  it('is a page that loads scripts and styles only from this server', async () => {
    const page = await open()
    expect(page.status).toBe(200)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/)
    const scripts = [...page.text.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, path]) => path)
    expect(scripts.length).toBeGreaterThan(1)
    for (const path of scripts) expect((await open(`/${path}`)).status, path).toBe(200)
  })

  it('requires admin, and lets a browser ask for the key', async () => {
    const refused = await api.request('GET', '/admin/queues', { key: false })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe('Basic realm="membrane"')
    const requestBoard = (authorization: string) =>
      api.request('GET', '/admin/queues', { key: false, headers: { authorization } })
    expect((await requestBoard(basic(rootKey))).status).toBe(200)
    expect((await requestBoard(basic('guessed'))).status).toBe(401)
    expect((await requestBoard('Basic !!!')).status).toBe(401)
    const reader = await api.issueKey(['records:read', 'maintenance:run'])
    for (const path of ['', '/api/queues', '/static/favicon-32x32.png'])
      expect((await api.request('GET', `/admin/queues${path}`, { key: reader })).status, path).toBe(403)
  })

  it('accepts a password on no other route', async () => {
    const options = { key: false, headers: { authorization: basic(rootKey) } } as const
    const { status, headers } = await api.request('GET', '/v1/keys', options)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer realm="membrane"')
  })

  it('is read-only', async () => {
    for (const [method, path] of [
      ['PUT', '/api/queues/membrane/empty'],
      ['PUT', '/api/queues/membrane/pause'],
      ['POST', '/api/queues/membrane/add'],
    ] as const) {
      const { status } = await api.request(method, `/admin/queues${path}`, { body: {} })
      expect(status, path).toBe(403)
    }
    expect(await queue.count()).toMatchObject({ waiting: 2 })
  })
})

it('the queue board does not reveal why the queue failed', async () => {
  const secret = 'redis://someone:hunter2@queue'
  const api = await startTestApp({
    showQueue: () => async () => {
      throw new Error(secret)
    },
  })
  const { status, text } = await api.request('GET', '/admin/queues/api/queues')
  expect(status).toBe(503)
  expect(text).not.toContain('hunter2')
  await api.close()
})

it('the queue board says when the queue does not answer', async () => {
  const api = await startTestApp({ showQueue: () => () => new Promise(() => {}) })
  const { status, body } = await api.request('GET', '/admin/queues/api/queues')
  expect(status).toBe(503)
  expect(body).toMatchObject({ code: 'not_ready' })
  expect((await api.request('GET', '/admin/queues')).status).toBe(200)
  await api.close()
})

it('the queue board is absent when there is no queue', async () => {
  const api = await startTestApp()
  expect((await api.request('GET', '/admin/queues')).status).toBe(404)
  await api.close()
})
