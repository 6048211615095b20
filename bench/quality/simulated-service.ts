import { createJobs } from '../../src/background.ts'
import { readConfig } from '../../src/config/config.ts'
import { connect } from '../../src/db/connection.ts'
import { createApp } from '../../src/http/app.ts'
import type { JobName } from '../../src/jobs/job-names.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { listRoutes } from '../../src/routes.ts'
import { createServices } from '../../src/services.ts'
import { assert } from '../load.ts'
import type { Sender } from './service.ts'

/** The API and a worker in this process, over a clock that the caller sets: a year passes in a minute. */
export type SimulatedService = Sender & {
  setTime(at: Date): void
  runJob(job: JobName): Promise<void>
  stop(): Promise<void>
}

export async function startSimulatedService(url: string, start: Date): Promise<SimulatedService> {
  let now = start
  const clock = { now: () => new Date(now) }
  const ids = createIds(clock)
  const config = readConfig({ MEMBRANE_RATE_LIMIT: '0', MEMBRANE_REGRET_SAMPLE: '0' })
  const log = createLogger({ level: 'error', clock, write: (line) => process.stderr.write(line) })
  const { db, pool, close } = connect({ ...config.database, url, applicationName: 'membrane eval' })
  const services = createServices({ config, db, clock, ids, log })
  const app = await createApp({
    config,
    pool,
    clock,
    ids,
    authenticate: services.keys.authenticate,
    checks: {},
    log: { level: 'error' },
    routes: listRoutes(services),
  })
  const jobs = createJobs({ config, db, clock, ids, log })

  async function send(method: string, path: string, body?: string) {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await app.inject({
      method: method as 'GET',
      url: path,
      headers,
      remoteAddress: '127.0.0.1',
      ...(body === undefined ? {} : { payload: body }),
    })
    return { status: answer.statusCode, text: answer.body }
  }

  /** As a client would: requested over HTTP, and done by the worker. */
  async function runJob(job: JobName): Promise<void> {
    const requested = await send('POST', '/v1/maintenance/runs', JSON.stringify({ job }))
    assert(requested.status === 202, `a run was answered ${requested.status}: ${requested.text}`)
    await jobs.handle(job, new AbortController().signal, () => {})
    const { id } = JSON.parse(requested.text) as { id: string }
    const { text } = await send('GET', `/v1/maintenance/runs/${id}`)
    const { status, error } = JSON.parse(text) as { status: string; error?: string }
    assert(status === 'succeeded', `a run of ${job} ${status}: ${error}`)
  }

  return {
    send,
    runJob,
    setTime: (at) => {
      now = at
    },
    async stop() {
      await app.close()
      await services.access.flush()
      await services.regretSampling.stop()
      await close()
    },
  }
}
