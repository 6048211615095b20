import { afterEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { type Hooks, notesRoom } from '../support/notes-room.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const happenings: Hooks = { now: async () => {} }
let api: TestApp
afterEach(() => api.close())

type Options = Parameters<typeof startTestApp>[0]
const start = async (options: Options = {}) => {
  api = await startTestApp({ rooms: notesRoom(happenings), ...options })
}

function block(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

describe('health', () => {
  it('is alive whatever else is not', async () => {
    await start({ checks: { database: async () => Promise.reject(new Error('away')) } })
    expect((await api.request('GET', '/livez', { key: false })).body).toEqual({ status: 'alive' })
  })

  it('is ready when every part is', async () => {
    await start({ checks: { database: async () => {}, queue: async () => {} } })
    const { status, body } = await api.request('GET', '/readyz', { key: false })
    expect(status).toBe(200)
    expect(body).toEqual({ status: 'ready', parts: { database: { ready: true }, queue: { ready: true } } })
  })

  it('is ready, and says so, without what requests can be served without', async () => {
    const queue = async () => Promise.reject(new Error('away'))
    await start({ checks: { database: async () => {} }, advisories: { queue } })
    const { status, body } = await api.request('GET', '/readyz', { key: false })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'ready',
      parts: { database: { ready: true }, queue: { ready: false, reason: 'failed' } },
    })
  })

  it('says which part is not ready, in words that may be shown', async () => {
    await start({
      checks: {
        database: async () => {},
        migrations: async () => Promise.reject(new AppError('not_ready', '2 migrations are pending')),
        queue: async () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:6379')),
      },
    })
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

  it('does not wait for ever for a part that hangs', async () => {
    await start({ checks: { database: () => new Promise(() => {}) } })
    const { status, body } = await api.request('GET', '/readyz')
    expect(status).toBe(503)
    expect(body).toMatchObject({ parts: { database: { ready: false, reason: 'did not answer in time' } } })
  })

  it('checks once for all who ask meanwhile', async () => {
    let checks = 0
    const opened = Promise.withResolvers<void>()
    await start({
      checks: {
        database: async () => {
          checks++
          await opened.promise
        },
      },
    })
    const asked = Array.from({ length: 10 }, () => api.request('GET', '/readyz'))
    await expect.poll(() => checks).toBe(1)
    opened.resolve()
    await Promise.all(asked)
    expect(checks).toBeLessThan(10)
  })

  it('sends requests elsewhere from the first sign of stopping on, and serves those that come', async () => {
    let isStopping = false
    await start({ isStopping: () => isStopping })
    isStopping = true
    const { status, body } = await api.request('GET', '/readyz')
    expect([status, body]).toEqual([503, expect.objectContaining({ code: 'shutting_down' })])
    expect((await api.request('GET', '/v1/failure')).status).toBe(200)
  })
})

describe('closing', () => {
  it('finishes what is under way', async () => {
    await start()
    const reached = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<void>()
    happenings.now = async () => {
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
    happenings.now = async () => {}
  })
})

describe('under pressure', () => {
  it('refuses more while the event loop lags, and takes it again after', async () => {
    await start({ variables: { MEMBRANE_MAX_EVENT_LOOP_DELAY: '100ms' } })
    let isBusy = true
    const churn = () => {
      if (!isBusy) return
      block(300)
      setImmediate(churn)
    }
    setImmediate(churn)
    const refusal = await expect
      .poll(async () => (await api.request('GET', '/v1/failure')).status, { timeout: 20_000 })
      .toBe(503)
      .then(() => api.request('GET', '/v1/failure'))
    expect(refusal.body).toMatchObject({ code: 'overloaded' })
    expect(refusal.headers.get('retry-after')).toBe('1')
    expect((await api.request('GET', '/livez')).status).toBe(200)
    isBusy = false
    await expect
      .poll(async () => (await api.request('GET', '/v1/failure')).status, { timeout: 20_000 })
      .toBe(200)
  })

  it('refuses more when too many wait for the database', async () => {
    await start({ variables: { MEMBRANE_POOL_QUEUE: '1' } })
    const { pool } = api.database
    const held = await Promise.all(Array.from({ length: 10 }, () => pool.connect()))
    const waiting = pool.connect()
    expect(pool.waitingCount).toBe(1)
    const { status, body } = await api.request('GET', '/v1/failure')
    expect([status, body]).toEqual([503, expect.objectContaining({ code: 'overloaded' })])
    for (const client of [...held]) client.release()
    ;(await waiting).release()
    expect((await api.request('GET', '/v1/failure')).status).toBe(200)
  })
})
