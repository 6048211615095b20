import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAnnouncements } from '../../src/jobs/queue/announcements.ts'
import type { JobMessage } from '../../src/jobs/queue/job-message.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createTestClock } from '../support/clock.ts'
import { until } from '../support/processes/processes.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

type Sent = JobMessage & { job: string; isCommitted: boolean; delay: number | undefined }

const clock = createTestClock()
const log = createLogger({ level: 'silent', clock, write: () => {} })

let app: TestApp
let sent: Sent[]
let enqueue: (message: Omit<Sent, 'isCommitted'>) => Promise<void>

beforeEach(async () => {
  sent = []
  enqueue = async (message) => {
    // A connection of its own, which sees committed rows only.
    const { rows } = await app.database.pool.query('select from maintenance_runs where id = $1', [
      message.run_id ?? null,
    ])
    sent.push({ ...message, isCommitted: rows.length === 1 })
  }
  const queue = {
    enqueue: (job: string, message: JobMessage, options: { delay?: number } = {}) =>
      enqueue({ job, ...message, delay: options.delay }),
  }
  app = await startTestApp({ announcements: createAnnouncements({ queue, clock, log }) })
})
afterEach(() => app.close())

const request = (headers: Record<string, string> = {}) =>
  app.request('POST', '/v1/maintenance/runs', { body: { job: 'decay' }, headers })

it.each([{ headers: {} }, { headers: { 'idempotency-key': 'once' } }])(
  'a requested run is announced after its commit, with headers $headers',
  async ({ headers }) => {
    const { status, body } = await request(headers)
    expect(status).toBe(202)
    const [message] = await until('the message', () => (sent.length > 0 ? sent : undefined))
    expect(message).toEqual({
      job: 'decay',
      reason: 'request',
      run_id: (body as Body).id,
      isCommitted: true,
      delay: undefined,
    })
  },
)

it('a run is announced once when its request is repeated under one idempotency key', async () => {
  const headers = { 'idempotency-key': 'once' }
  await request(headers)
  await until('the message', () => sent.length === 1)
  await request(headers)
  await request()
  await until('the message of the other run', () => sent.length > 1)
  expect(sent).toHaveLength(2)
  expect(new Set(sent.map(({ run_id }) => run_id)).size).toBe(2)
})

it('a request that is refused announces nothing', async () => {
  const { status } = await app.request('POST', '/v1/maintenance/runs', { body: { job: 'unknown' } })
  expect(status).toBe(422)
  await request()
  await until('the message of the other run', () => sent.length > 0)
  expect(sent).toMatchObject([{ job: 'decay' }])
})

it('a queue that fails or hangs does not fail the request', async () => {
  enqueue = () => Promise.reject(new Error('the queue is down'))
  expect((await request()).status).toBe(202)
  enqueue = () => new Promise(() => {})
  expect((await request()).status).toBe(202)
  const { body } = await app.request('GET', '/v1/maintenance/runs')
  expect((body as Body).items).toMatchObject([{ status: 'queued' }, { status: 'queued' }])
})

it('a schedule that is set announces its next tick', async () => {
  const { status } = await app.request('PUT', '/v1/maintenance/schedules/dream', {
    body: { interval: '1h', enabled: true },
  })
  expect(status).toBe(200)
  const [message] = await until('the message', () => (sent.length > 0 ? sent : undefined))
  expect(message).toMatchObject({ job: 'dream', reason: 'tick' })
  expect(message?.delay).toBe(3_600_000)
})
