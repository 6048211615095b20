import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { computeMaxWaiting } from '../../src/db/pool.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { createNotesRoutes, type Hooks } from '../support/apps/notes-routes.ts'
import { until } from '../support/processes/processes.ts'
import { testPoolSize } from '../support/servers/database.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const hooks: Hooks = { now: async () => {} }
const routes = createNotesRoutes(hooks)

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

describe('GET /livez and GET /readyz', () => {
  const pass = async () => {}
  const fail = async () => Promise.reject(new Error('away'))
  const passing = { database: pass, migrations: pass, queue: pass }
  let parts: Record<keyof typeof passing, () => Promise<void>> = passing
  let isStopping = false

  let api: TestApp
  beforeAll(async () => {
    api = await startTestApp({
      routes,
      checks: { database: () => parts.database(), migrations: () => parts.migrations() },
      advisories: { queue: () => parts.queue() },
      isStopping: () => isStopping,
    })
  })
  afterEach(() => {
    parts = passing
    isStopping = false
  })
  afterAll(() => api.close())

  it('answer alive even when a check fails', async () => {
    parts = { ...passing, database: fail }
    expect((await api.request('GET', '/livez', { key: false })).body).toEqual({ status: 'alive' })
  })

  it('answer ready when every check passes', async () => {
    const { status, body } = await api.request('GET', '/readyz', { key: false })
    expect(status).toBe(200)
    const ready = { ready: true }
    expect(body).toEqual({ status: 'ready', parts: { database: ready, migrations: ready, queue: ready } })
  })

  it('answer ready with a warning when an optional part is missing', async () => {
    parts = { ...passing, queue: fail }
    const { status, body } = await api.request('GET', '/readyz', { key: false })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'ready',
      parts: { database: { ready: true }, queue: { ready: false, reason: 'failed' } },
    })
  })

  it('name the part that is not ready, without its error message', async () => {
    parts = {
      ...passing,
      migrations: async () => Promise.reject(new AppError('not_ready', '2 migrations are pending')),
      queue: async () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:6379')),
    }
    const { status, body, headers, text } = await api.request('GET', '/readyz')
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toBe('2')
    expect(body).toMatchObject({
      code: 'not_ready',
      parts: {
        database: { ready: true },
        migrations: { ready: false, reason: '2 migrations are pending' },
        queue: { ready: false, reason: 'failed' },
      },
    })
    expect(text).not.toContain('10.0.0.7')
  })

  it('do not wait forever for a check that hangs', async () => {
    parts = { ...passing, database: () => new Promise(() => {}) }
    const { status, body } = await api.request('GET', '/readyz')
    expect(status).toBe(503)
    expect(body).toMatchObject({ parts: { database: { ready: false, reason: 'did not answer in time' } } })
  })

  it('share one check between concurrent requests', async () => {
    let checks = 0
    const opened = Promise.withResolvers<void>()
    const database = async () => {
      checks++
      await opened.promise
    }
    parts = { ...passing, database }
    let arrived = 0
    const count = () => arrived++
    api.app.server.on('request', count)
    const probes = Array.from({ length: 10 }, () => api.request('GET', '/readyz'))
    await expect.poll(() => arrived).toBe(10)
    await expect.poll(() => checks).toBe(1)
    opened.resolve()
    await Promise.all(probes)
    api.app.server.off('request', count)
    expect(checks).toBeLessThan(10)
  })

  it('answer not ready as soon as shutdown begins, while other requests are served', async () => {
    isStopping = true
    const { status, body } = await api.request('GET', '/readyz')
    expect([status, body]).toEqual([503, expect.objectContaining({ code: 'shutting_down' })])
    expect((await api.request('GET', '/v1/failure')).status).toBe(200)
  })
})

describe('a busy API', () => {
  let api: TestApp
  beforeAll(async () => {
    api = await startTestApp({ routes, maxEventLoopDelayMs: 50 })
  })
  afterAll(() => api.close())

  it('refuses requests while the event loop lags, and accepts them again afterwards', async () => {
    let isBusy = true
    const churn = () => {
      if (!isBusy) return
      block(120)
      setImmediate(churn)
    }
    setImmediate(churn)
    const refusal = await until('a refusal', async () => {
      const answer = await api.request('GET', '/v1/failure')
      return answer.status === 503 ? answer : undefined
    })
    expect(refusal.body).toMatchObject({ code: 'overloaded' })
    expect(refusal.headers.get('retry-after')).toBe('1')
    expect((await api.request('GET', '/livez')).status).toBe(200)
    isBusy = false
    await expect.poll(async () => (await api.request('GET', '/v1/failure')).status).toBe(200)
  })

  it('refuses requests when too many wait for the database', async () => {
    const maxWaiting = computeMaxWaiting(api.config.database.poolSize)
    const { pool } = api.database
    const held = await Promise.all(Array.from({ length: testPoolSize }, () => pool.connect()))
    const waiting = Array.from({ length: maxWaiting }, () => pool.connect())
    expect(pool.waitingCount).toBe(maxWaiting)
    const { status, body } = await api.request('GET', '/v1/failure')
    expect([status, body]).toEqual([503, expect.objectContaining({ code: 'overloaded' })])
    for (const client of [...held]) client.release()
    await Promise.all(waiting.map((each) => each.then((client) => client.release())))
    expect((await api.request('GET', '/v1/failure')).status).toBe(200)
  })

  it('finishes the requests in progress when it is closed', async () => {
    const reached = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<void>()
    hooks.now = async () => {
      reached.resolve()
      await opened.promise
    }
    const underWay = api.request('GET', '/v1/failure')
    await reached.promise
    const closing = api.app.close()
    opened.resolve()
    expect((await underWay).status).toBe(200)
    await closing
    await expect(fetch(`${api.url}/livez`)).rejects.toThrow()
    hooks.now = async () => {}
  })
})
