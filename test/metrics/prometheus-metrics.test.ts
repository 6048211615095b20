import { afterEach, describe, expect, it } from 'vitest'
import { createJobs } from '../../src/background.ts'
import { type Caller, fullTrust } from '../../src/domain/trust/caller.ts'
import type { JobName } from '../../src/jobs/job-names.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createStoreMetrics } from '../../src/metrics/index.ts'
import { createTestClock } from '../support/clock.ts'
import { findValues, parsePrometheusText } from '../support/http/prometheus-text.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { createCompressionWorker } from '../support/workers/compression-worker.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const day = 86_400_000

const root: Caller = {
  principal: 'root',
  name: 'root',
  sourceType: 'human',
  permissions: new Set(['admin']),
  trust: fullTrust,
}

let apis: TestApp[] = []
afterEach(async () => {
  await Promise.all(apis.map((api) => api.close()))
  apis = []
})

async function start(variables: Record<string, string> = {}): Promise<TestApp> {
  const api = await startTestApp({ variables })
  apis.push(api)
  return api
}

const scrape = async (api: TestApp, key?: string | false) =>
  parsePrometheusText((await api.request('GET', '/metrics', key === undefined ? {} : { key })).text)

/** Reads the metrics from the database without the cache. */
async function readStore({ db, clock }: TestApp) {
  const reading = createStoreMetrics({ db, clock, intervals: {}, revisedRetentionMs: 90 * day, freshMs: 0 })
  return parsePrometheusText(await reading.render())
}

async function remember(api: TestApp, object: string, more: object = {}): Promise<string> {
  const payload = { kind: 'semantic', subject: 'the build', predicate: 'needs', object }
  const sources = [{ kind: 'event', ref: 'test' }]
  const { body, status } = await api.request('POST', '/v1/records', {
    body: { type: 'semantic', payload, provenance: { sources }, ...more },
  })
  expect(status).toBe(201)
  return (body as { id: string }).id
}

function createJobRunner({ config, db, clock, ids }: TestApp) {
  const log = createLogger({ level: 'silent', clock, write: () => {} })
  const { handle } = createJobs({ config, db, clock, ids, log })
  return (job: JobName) => handle(job, new AbortController().signal, () => {})
}

describe('GET /metrics', () => {
  it('answers the Prometheus text format to any valid key, with requests by route template', async () => {
    const api = await start()
    const key = await api.issueKey(['records:write'], { scopes: ['team'], max_sensitivity: 'public' })
    for (const refused of [false, 'mbr_nobody'] as const)
      expect((await api.request('GET', '/metrics', { key: refused })).status).toBe(401)
    const id = await remember(api, 'node')
    await api.request('GET', `/v1/records/${id}?as_of=nonsense`)
    await api.request('GET', `/v1/records/${id}`)
    await api.request('GET', '/nowhere/secret')
    const { headers, text } = await api.request('GET', '/metrics', { key })
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const read = parsePrometheusText(text)
    const name = 'membrane_http_request_duration_seconds_count'
    expect(findValues(read, name, { method: 'POST', route: '/v1/records', status: '201' })).toEqual([1])
    expect(findValues(read, name, { route: '/v1/records/:id', status: '200' })).toEqual([1])
    expect(findValues(read, name, { route: 'none', status: '404' })).toEqual([1])
    expect(findValues(read, 'membrane_write_to_text_seconds_count')).toEqual([1])
    expect(text).not.toContain(id)
    expect(text).not.toMatch(/\bsecret\b|nonsense|the build/)
  })

  it('counts a repeated write once', async () => {
    const api = await start()
    const body = { type: 'semantic', payload: { kind: 'semantic', subject: 's', predicate: 'p', object: 1 } }
    const headers = { 'idempotency-key': 'again' }
    for (let time = 0; time < 3; time++) await api.request('POST', '/v1/records', { body, headers })
    expect(findValues(await scrape(api), 'membrane_write_to_text_seconds_count')).toEqual([1])
  })

  it('counts a remembered text and the messages of a conversation as writes', async () => {
    const api = await start()
    await api.request('POST', '/v1/remember', { body: { text: 'The lift works.' } })
    const messages = [{ role: 'user', content: 'The lift is broken.' }]
    await api.request('POST', '/v1/conversations/c/messages', { body: { messages } })
    expect(findValues(await scrape(api), 'membrane_write_to_text_seconds_count')).toEqual([2])
  })

  it('is public when configured', async () => {
    const api = await start({ MEMBRANE_METRICS_PUBLIC: 'true' })
    expect((await api.request('GET', '/metrics', { key: false })).status).toBe(200)
    expect((await api.request('GET', '/v1/metrics', { key: false })).status).toBe(401)
  })

  it('reports the process when the database does not answer', async () => {
    const reading = createStoreMetrics({
      clock: createTestClock(),
      intervals: {},
      revisedRetentionMs: day,
      db: {
        selectFrom: () => {
          throw new Error('away')
        },
      } as unknown as TestApp['db'],
    })
    reading.watchQueue(() => new Promise(() => {}))
    const read = parsePrometheusText(await reading.render())
    expect(findValues(read, 'membrane_store_reached', { part: 'database' })).toEqual([0])
    expect(findValues(read, 'membrane_store_reached', { part: 'queue' })).toEqual([0])
    expect(read.series).toHaveLength(2)
  })

  it('reads the database once for concurrent requests', async () => {
    const api = await start()
    const texts = await Promise.all(Array.from({ length: 20 }, () => api.services.storeReading.render()))
    expect(new Set(texts).size).toBe(1)
    await remember(api, 'npm')
    expect(await api.services.storeReading.render()).toBe(texts[0])
  })
})

describe('the counters of the store', () => {
  it('count forgotten, restored and promoted records, by clients and by jobs', async () => {
    const api = await start()
    const one = await remember(api, 'node')
    const other = await remember(api, 'npm')
    const reason = { actor: 'a', rationale: 'r' }
    await api.request('DELETE', `/v1/records/${one}?actor=a&rationale=r`)
    await api.request('POST', `/v1/records/${one}/restore`, { body: reason })
    await api.request('POST', `/v1/records/${other}/promote`, { body: { layer: 'procedural', ...reason } })
    await api.request('DELETE', `/v1/records/${other}?actor=a&rationale=r`)
    const before = await readStore(api)
    expect(findValues(before, 'membrane_store_forgotten_total')).toEqual([2])
    expect(findValues(before, 'membrane_store_restored_total')).toEqual([1])
    expect(findValues(before, 'membrane_store_promoted_total')).toEqual([1])

    api.clock.advance(400 * day)
    const due = await readStore(api)
    expect(findValues(due, 'membrane_store_backlog', { work: 'forget_faded' })).toEqual([1])
    expect(
      findValues(due, 'membrane_store_backlog_oldest_seconds', { work: 'forget_faded' })[0],
    ).toBeGreaterThan(day / 1_000)
    await createJobRunner(api)('decay')
    const after = await readStore(api)
    expect(findValues(after, 'membrane_store_forgotten_total')).toEqual([3])
    expect(findValues(after, 'membrane_store_backlog', { work: 'forget_faded' })).toEqual([0])
  })

  it('do not count refused and rolled-back operations', async () => {
    const api = await start()
    const id = await remember(api, 'node')
    await api.request('POST', `/v1/records/${id}/restore`, { body: { actor: 'a', rationale: 'r' } })
    const taken = api.db.transaction().execute(async (tx) => {
      await api.services.forgetting.forget({ caller: root, tx }, id, { actor: 'a', rationale: 'r' })
      throw new Error('taken back')
    })
    await expect(taken).rejects.toThrow('taken back')
    const read = await readStore(api)
    expect(findValues(read, 'membrane_store_forgotten_total')).toEqual([0])
    expect(findValues(read, 'membrane_store_restored_total')).toEqual([0])
  })

  it('remain after the runs are deleted, and leave out dry runs', async () => {
    const api = await start()
    const run = createJobRunner(api)
    for (const dry_run of [false, true])
      await api.request('POST', '/v1/maintenance/runs', { body: { job: 'decay', dry_run } })
    await run('decay')
    await api.db.deleteFrom('maintenance_runs').execute()
    const read = await readStore(api)
    // The schedule was due too.
    expect(findValues(read, 'membrane_store_runs_total', { job_name: 'decay', status: 'succeeded' })).toEqual(
      [2],
    )
    expect(findValues(read, 'membrane_store_job_since_success_seconds', { job_name: 'decay' })).toEqual([0])
    api.clock.advance(2 * day)
    const later = await readStore(api)
    expect(findValues(later, 'membrane_store_job_since_success_seconds', { job_name: 'decay' })).toEqual([
      172_800,
    ])
  })

  it('measure the time from writing a text to its vector', async () => {
    const api = await start()
    await remember(api, 'node')
    api.clock.advance(7_000)
    await createEmbeddingWorker(api).run()
    const read = await readStore(api)
    const name = 'membrane_store_write_to_vector_seconds'
    expect(findValues(read, `${name}_count`)).toEqual([1])
    expect(findValues(read, `${name}_sum`)[0]).toBeCloseTo(7, 1)
    expect(findValues(read, `${name}_bucket`, { le: '5' })).toEqual([0])
    expect(findValues(read, `${name}_bucket`, { le: '10' })).toEqual([1])
    expect(findValues(read, `${name}_bucket`, { le: '+Inf' })).toEqual([1])
  })

  it('do not count a vector that only gets more precise', async () => {
    const api = await start()
    const id = await remember(api, 'node', { layer: 'episodic' })
    api.clock.advance(1_000)
    const { run } = createEmbeddingWorker(api)
    await run()
    api.clock.advance(80 * day)
    await createCompressionWorker(api).run()
    await api.request('POST', `/v1/records/${id}/access`, { body: {} })
    await api.services.access.flush()
    expect(findValues(await readStore(api), 'membrane_store_backlog', { work: 'embed' })).toEqual([1])
    await run()
    const read = await readStore(api)
    expect(findValues(read, 'membrane_store_backlog', { work: 'embed' })).toEqual([0])
    expect(findValues(read, 'membrane_store_write_to_vector_seconds_count')).toEqual([1])
  })
})
