import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import type { JobName } from '../../src/jobs/job-names.ts'
import type { MaintenanceRun } from '../../src/maintenance/index.ts'
import { shareTestApp, shareWorkerSetup } from '../support/apps/shared-store.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { isLongRun } from '../support/long-run.ts'
import { range } from '../support/requests/capture-requests.ts'
import { captureEpisode, createScope, listFacts } from '../support/requests/consolidation-requests.ts'
import { insertFadingRecords, readState } from '../support/stores/fading-records.ts'
import { insertDreamRecords } from '../support/workers/dream-workers.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import { createSmallConsolidation } from '../support/workers/small-consolidation.ts'
import { createWorkerFor, type WorkerSetup } from '../support/workers/worker-setup.ts'

const hour = 3_600_000
const leaseMs = 30
/** A run that loses five workers without progress fails, and on a slow machine a heartbeat comes late. */
const disturbedAttempts = 3

let takeovers = 0
// Which races have one depends on the machine.
afterAll(() => expect(takeovers).toBeGreaterThan(0))

/** The same numbers from 0 to 1 for the same seed. */
function createDraws(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const openAlone = shareWorkerSetup()
const openRaced = shareWorkerSetup()
const openApp = shareTestApp()
const seeds = isLongRun ? [1, 2, 3] : [1]

type Given = { id: string; seed: number }

/** Two workers that pause anywhere, often for longer than their lease. */
async function race(
  setup: Pick<WorkerSetup, 'clock' | 'createWorker' | 'readRun'>,
  job: JobName,
  given: Given,
) {
  const { id, seed } = given
  const draw = createDraws(seed)
  const advance = async (milliseconds: number) => {
    if ((await setup.readRun(id)).attempts <= disturbedAttempts) setup.clock.advance(milliseconds)
  }
  const observe = async () => {
    if (draw() < 0.6) return
    await sleep(draw() * 15)
    await advance(Math.round(draw() * 1.4 * leaseMs))
  }
  const isOpen = async () => ['queued', 'running'].includes((await setup.readRun(id)).status)
  const attend = async (name: string) => {
    const worker = setup.createWorker(name, { leaseMs, observe })
    while (await isOpen()) {
      await worker.runJob(job, new AbortController().signal)
      await advance(2 * leaseMs)
      await sleep(1)
    }
  }
  await Promise.all([attend('one'), attend('two')])
  const run = await setup.readRun(id)
  takeovers += run.attempts - 1
  return run
}

const prepare: Partial<Record<JobName, (setup: WorkerSetup) => Promise<void>>> = {
  decay: async (setup) => {
    await insertFadingRecords(setup, { count: 200, createdAt: setup.clock.now() })
    setup.clock.advance(31 * hour)
  },
  dream: async (setup) => {
    await insertDreamRecords(setup, 120)
  },
}

async function readEffects({ pool }: WorkerSetup, runId: string) {
  const { rows } = await pool.query(
    `select c.action, count(*)::int4 as changes from maintenance_changes as c where c.run_id = $1
     group by c.action order by c.action`,
    [runId],
  )
  return rows
}

/** The laws without the ids: the rows that were inserted break some. */
async function countBreaches(setup: WorkerSetup): Promise<string[]> {
  return (await listBrokenLaws(setup)).map((breach) => breach.split(':').slice(0, 2).join(':'))
}

const races = (['decay', 'dream'] as const).flatMap((job) => seeds.map((seed) => ({ job, seed })))

it.each(races)(
  'two workers that race on one $job have the effects of one, each once ($seed)',
  async (given) => {
    const { job, seed } = given
    const [alone, raced] = [await openAlone(), await openRaced()]
    for (const setup of [alone, raced]) await prepare[job]?.(setup)
    const expected = await alone.run(job)
    const run = await race(raced, job, { id: await raced.requestRun(job), seed })
    expect(run.status).toBe('succeeded')
    expect(run.progress).toEqual(expected.progress)
    expect(await readEffects(raced, run.id)).toEqual(await readEffects(alone, expected.id))
    if (job === 'decay') expect(await readState(raced)).toEqual(await readState(alone))
    expect(await countBreaches(raced)).toEqual(await countBreaches(alone))
  },
)

it.each(seeds)('two workers that race on one consolidation create each fact once (%i)', async (seed) => {
  const app = await openApp()
  const scope = createScope()
  await Promise.all(range(60).map((n) => captureEpisode(app, `saying ${n % 7}`, {}, { scope })))
  const { body } = await app.request('POST', '/v1/maintenance/runs', { body: { job: 'consolidate' } })
  const readRun = async (id: string) =>
    (await app.request('GET', `/v1/maintenance/runs/${id}`)).body as MaintenanceRun
  const run = await race(
    {
      clock: app.clock,
      readRun,
      createWorker: (worker, options) =>
        createWorkerFor(app, noIntervals, {
          ...options,
          worker,
          jobWorks: { consolidate: createSmallConsolidation(app) },
        }),
    },
    'consolidate',
    { id: (body as MaintenanceRun).id, seed },
  )
  expect(run.status).toBe('succeeded')
  const facts = await listFacts(app, scope)
  expect(facts).toHaveLength(7)
  expect(facts.reduce((sum, { payload }) => sum + payload.evidence.length, 0)).toBe(60)
  expect(facts.reduce((sum, { version }) => sum + version, 0)).toBeLessThanOrEqual(60)
  expect(await listBrokenLaws(app)).toEqual([])
})
