import { createHash, randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { jobNames } from '../../src/jobs/job-names.ts'
import { insertKey } from '../../src/keys/keys.queries.ts'
import { insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { findValues, parsePrometheusText } from '../support/http/prometheus-text.ts'
import { startCollector } from '../support/http/trace-collector.ts'
import { until } from '../support/processes/processes.ts'
import { launchRole, openMigratedDatabase, parseLogLines } from '../support/processes/roles.ts'
import { findFreePort } from '../support/servers/postgres-processes.ts'

const key = 'root-key-of-the-watchers'
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

/** Opens a migrated database with its queue, and starts roles with a port of their own. */
async function open(shared: Record<string, string> = {}) {
  const database = await openMigratedDatabase()
  const environment = { DATABASE_URL: database.url, MEMBRANE_API_KEY: key, ...shared }
  const start = async (role: 'api' | 'worker') => {
    const port = await findFreePort()
    const named = role === 'api' ? 'PORT' : 'MEMBRANE_METRICS_PORT'
    const running = launchRole(role, { ...environment, [named]: String(port) })
    const url = `http://127.0.0.1:${port}`
    await until(`the ${role} to be ready`, () =>
      fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      ),
    )
    return { running, url, scrape: async () => (await fetch(`${url}/metrics`, { headers })).text() }
  }
  return { database, start }
}

it('each process exposes metrics on its port, and a run continues the trace of its request, without a collector', async () => {
  const { start } = await open()
  const [api, worker] = await Promise.all([start('api'), start('worker')])
  const served = parsePrometheusText(await api.scrape())
  const worked = parsePrometheusText(await worker.scrape())
  for (const read of [served, worked]) {
    expect(findValues(read, 'process_resident_memory_bytes')[0]).toBeGreaterThan(1e7)
    expect(findValues(read, 'nodejs_eventloop_lag_p99_seconds')).toHaveLength(1)
    expect(findValues(read, 'membrane_pool_connections_max')[0]).toBeGreaterThan(0)
  }
  expect(findValues(served, 'membrane_store_reached', { part: 'database' })).toEqual([1])
  expect(findValues(served, 'membrane_store_reached', { part: 'queue' })).toEqual([1])
  expect(findValues(served, 'membrane_store_job_interval_seconds', { job_name: 'decay' })).toEqual([3_600])
  expect(findValues(served, 'membrane_store_queue_messages').length).toBeGreaterThan(3)
  expect(findValues(worked, 'membrane_store_reached')).toEqual([])
  expect((await fetch(`${api.url}/admin/queues/api/queues`, { headers })).status).toBe(200)
  expect((await fetch(`${worker.url}/metrics`)).status).toBe(401)
  expect((await fetch(`${worker.url}/v1/records`, { headers })).status).toBe(404)

  await fetch(`${api.url}/v1/maintenance/runs`, {
    method: 'POST',
    headers: { ...headers, traceparent: `00-${traceId}-${spanId}-00` },
    body: '{"job":"decay"}',
  })
  await until('the run to end in the trace', () =>
    parseLogLines(worker.running).some((line) => line['msg'] === 'run ended' && line['trace_id'] === traceId),
  )
  worker.running.kill('SIGTERM')
  expect(await worker.running.ended, worker.running.output()).toEqual({ code: 0, signal: null })
})

it('a worker is ready, and shows its metrics to a key, while jobs use all of its connections', async () => {
  const { database, start } = await open({ MEMBRANE_LOCK_TIMEOUT: '60s' })
  const secret = `mbk_${'a'.repeat(43)}`
  await insertKey(database.db, {
    id: randomUUID(),
    name: 'prometheus',
    secret_hash: createHash('sha256').update(secret).digest(),
    permissions: ['records:read'],
    scopes: [],
    max_sensitivity: 'low',
    source_type: 'ingest',
    created_at: new Date(),
  })
  for (const job of jobNames)
    await insertRun(database.db, { id: randomUUID(), job, trigger: 'manual', now: new Date() })
  const lock = await database.pool.connect()
  onTestFinished(() => lock.release())
  // A worker that claims a run waits for it.
  await lock.query('begin; lock table maintenance_runs in exclusive mode')
  const worker = await start('worker')
  await until(
    'all connections of the jobs to be in use',
    async () => {
      const { rows } = await database.pool.query(
        `select count(*)::int as waiting from pg_stat_activity where datname = current_database()
         and application_name = 'membrane worker' and wait_event_type = 'Lock'`,
      )
      return rows[0].waiting === 5
    },
    30_000,
  )
  expect((await fetch(`${worker.url}/readyz`)).status).toBe(200)
  const answer = await fetch(`${worker.url}/metrics`, {
    headers: { authorization: `Bearer ${secret}` },
    signal: AbortSignal.timeout(20_000),
  })
  expect(answer.status).toBe(200)
  expect(findValues(parsePrometheusText(await answer.text()), 'membrane_pool_waiting')[0]).toBeGreaterThan(0)
  await lock.query('rollback')
})

it('a request, its statements and the run it requested belong to one trace', async () => {
  const collector = await startCollector()
  const { start } = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
  const [api, worker] = await Promise.all([start('api'), start('worker')])
  const answer = await fetch(`${api.url}/v1/maintenance/runs`, {
    method: 'POST',
    headers: { ...headers, traceparent: `00-${traceId}-${spanId}-01` },
    body: '{"job":"purge"}',
  })
  expect(answer.status).toBe(202)
  const secret = 'the launch code is 12345'
  const body = { type: 'semantic', payload: { kind: 'semantic', subject: secret, predicate: 'p', object: 1 } }
  await fetch(`${api.url}/v1/records`, { method: 'POST', headers, body: JSON.stringify(body) })
  const find = (name: string, role: string) => () =>
    collector.spans.find((span) => span.name === name && span.role === role && span.traceId === traceId)

  const request = await until('the span of the request', find('POST /v1/maintenance/runs', 'api'))
  expect(request).toMatchObject({ parentSpanId: spanId, isFailure: false })
  expect(request.attributes).toMatchObject({ 'http.response.status_code': 202 })
  const insert = await until('the span of its statement', find('insert maintenance_runs', 'api'))
  expect(insert.parentSpanId).toBe(request.spanId)
  const run = await until('the span of the run', find('job purge', 'worker'))
  expect(run.parentSpanId).toBe(request.spanId)
  const deletion = await until('the span of its work', find('delete idempotency_keys', 'worker'))
  expect(deletion.parentSpanId).toBe(run.spanId)
  await until('the span of the write', () => collector.spans.some(({ name }) => name === 'POST /v1/records'))
  const ended = parseLogLines(worker.running).filter((line) => line['msg'] === 'run ended')
  expect(ended).toContainEqual(expect.objectContaining({ job: 'purge', trace_id: traceId }))
  expect(collector.text()).not.toContain('launch code')
  expect(collector.text()).not.toContain(key)
})

it('an API serves and stops in time when the trace collector is unavailable', async () => {
  const { start } = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  const api = await start('api')
  for (let n = 0; n < 5; n++) expect((await fetch(`${api.url}/v1/keys`, { headers })).status).toBe(200)
  const stopAt = performance.now()
  api.running.kill('SIGTERM')
  expect(await api.running.ended, api.running.output()).toEqual({ code: 0, signal: null })
  expect(performance.now() - stopAt).toBeLessThan(8_000)
})
