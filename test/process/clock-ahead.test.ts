import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startApi } from '../support/apps/started-service.ts'
import { until } from '../support/processes/processes.ts'
import { launchRole, openMigratedDatabase } from '../support/processes/roles.ts'
import { findFreePort } from '../support/servers/postgres-processes.ts'

const preloaded = resolve(import.meta.dirname, '../support/processes/shifted-clock.ts')
const twoYears = 730 * 86_400_000

/** Variables of processes whose clock the test shifts. */
async function openClock() {
  const folder = await mkdtemp(join(tmpdir(), 'membrane-clock-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'shift')
  const shift = (milliseconds: number) => writeFile(file, String(milliseconds))
  await shift(0)
  return { shift, variables: { NODE_OPTIONS: `--import ${preloaded}`, FAULTS_CLOCK: file } }
}

it('a worker whose clock is two years ahead forgets nothing, and leaves the run to another worker', async () => {
  const { url } = await openMigratedDatabase()
  const { shift, variables } = await openClock()
  const { call } = await startApi({ DATABASE_URL: url, ...variables })
  const text = 'Invoices are sent on the first working day.'
  const { id } = (await call('/v1/remember', { body: { text, about: 'invoices' } })).body
  const run = (await call('/v1/maintenance/runs', { body: { job: 'decay' } })).body
  for (const [milliseconds, reason] of [
    [-twoYears, 'far behind that'],
    [twoYears, 'far ahead of that'],
  ] as const) {
    await shift(milliseconds)
    await until(`the API to report a clock that is ${reason}`, async () => {
      const { status, body } = await call('/readyz')
      return status === 200 && body.parts.clock.reason?.includes(reason)
    })
  }
  const port = await findFreePort()
  const worker = launchRole('worker', {
    DATABASE_URL: url,
    MEMBRANE_METRICS_PORT: String(port),
    ...variables,
  })
  await worker.waitForOutput(/"job":"decay"[^\n]*The clock of this process is far ahead/)
  const readiness = await fetch(`http://127.0.0.1:${port}/readyz`)
  expect([readiness.status, await readiness.json()]).toMatchObject([
    503,
    { parts: { clock: { ready: false } } },
  ])
  const readRun = async () => (await call(`/v1/maintenance/runs/${run.id}`)).body.status
  expect(await readRun()).toBe('queued')
  launchRole('worker', { DATABASE_URL: url })
  await until('the run to succeed', async () => (await readRun()) === 'succeeded')
  await shift(0)
  expect((await call(`/v1/records/${id}`)).body).toMatchObject({ id, status: 'active' })
})
