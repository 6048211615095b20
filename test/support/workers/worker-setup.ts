import { randomUUID } from 'node:crypto'
import { createConsolidation } from '../../../src/consolidation/index.ts'
import { createSeal } from '../../../src/domain/identity/tombstone-seal.ts'
import { defaultRetentionShape } from '../../../src/domain/lifecycle/retention.ts'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { type JobName, jobNames } from '../../../src/jobs/job-names.ts'
import type { JobWork } from '../../../src/jobs/runs/runs.ts'
import { createIds } from '../../../src/kernel/ids.ts'
import { createLogger } from '../../../src/kernel/log.ts'
import { createChat } from '../../../src/llm/chat.ts'
import { createRunner } from '../../../src/maintenance/index.ts'
import { findRun, insertRun } from '../../../src/maintenance/maintenance.queries.ts'
import { presentRun } from '../../../src/maintenance/run-answer.ts'
import { ensureJobRows } from '../../../src/maintenance/running/leases.queries.ts'
import { addPlanApplication } from '../../../src/plans/index.ts'
import { createPoliciesService } from '../../../src/policies/index.ts'
import { createTestClock } from '../clock.ts'
import { openTestDatabase } from '../servers/database.ts'
import type { TestApp } from '../test-app.ts'
import { noIntervals } from './idle-jobs.ts'
import { createSmallConsolidation } from './small-consolidation.ts'
import { createTestWorks } from './test-works.ts'

const keeping = { retentionMode: 'huber', retentionShape: defaultRetentionShape } as const

type WorkerOptions = Pick<Parameters<typeof createRunner>[0], 'observe' | 'leaseMs'> & {
  jobWorks?: Partial<Record<JobName, JobWork>>
}

type OpenedDatabase = Awaited<ReturnType<typeof openTestDatabase>>
type RunRequest = { dryRun?: boolean; scope?: string; options?: Record<string, unknown> }

export type WorkerSetup = Awaited<ReturnType<typeof openWorkerSetup>>

/** Opens a database, unless one is given, for which a test creates workers; schedules are off unless it sets intervals. */
export async function openWorkerSetup(
  sizes = { rows: 20, blocks: 1, shareFrom: 40 },
  given?: OpenedDatabase,
) {
  const database = given ?? (await openTestDatabase())
  const { db, pool } = database
  const clock = createTestClock()
  const ids = createIds(clock)
  const lines: string[] = []
  const log = createLogger({ level: 'debug', clock, write: (line) => void lines.push(line) })
  await ensureJobRows(db, jobNames, clock.now())

  const seal = createSeal(undefined)
  const textLanguage = 'english'
  const usual = createTestWorks({
    db,
    clock,
    ids,
    log,
    refresh: { blocks: sizes.blocks },
    promotion: { size: sizes.rows },
    decay: { sizes },
    dream: {
      ...keeping,
      drift: { roots: [], textLanguage },
      writing: { ids, seal, textLanguage, policies: createPoliciesService({ db, clock }) },
      size: sizes.rows,
    },
    consolidate: createSmallConsolidation({ db, clock, ids }),
  })

  function createWorker(
    worker: string,
    { jobWorks = {}, ...more }: WorkerOptions = {},
    intervals = noIntervals,
  ) {
    return createRunner({
      db,
      clock,
      ids,
      log,
      worker,
      jobWorks: addPlanApplication({ db, seal }, { ...usual, ...jobWorks }),
      intervals,
      ...more,
    })
  }

  async function requestRun(job: JobName, more: RunRequest = {}): Promise<string> {
    const id = randomUUID()
    await insertRun(db, { id, job, trigger: 'manual', now: clock.now(), ...more })
    return id
  }

  async function readRun(id: string) {
    const run = await findRun(db, id, fullTrust)
    if (!run) throw new Error('no such run')
    return presentRun(run)
  }

  /** Requests one run and runs it with one worker. */
  async function run(job: JobName, more: RunRequest & WorkerOptions = {}) {
    const { dryRun, scope, options, ...workerOptions } = more
    const id = await requestRun(job, {
      ...(dryRun === undefined ? {} : { dryRun }),
      ...(scope === undefined ? {} : { scope }),
      ...(options === undefined ? {} : { options }),
    })
    await createWorker('worker', workerOptions).runJob(job, new AbortController().signal)
    return readRun(id)
  }

  return {
    db,
    pool,
    url: database.url,
    clock,
    ids,
    lines,
    createWorker,
    requestRun,
    readRun,
    run,
    close: database.close,
  }
}

/** Creates a worker beside a test API, with the intervals of the API's configuration unless others are given. */
export function createWorkerFor(
  { db, clock, ids, config }: TestApp,
  intervals: Readonly<Record<JobName, number>> = config.jobs.intervals,
  {
    size,
    worker = 'worker',
    jobWorks: others = {},
    ...more
  }: { size?: number; worker?: string } & WorkerOptions = {},
) {
  const dreaming = size === undefined ? {} : { size }
  const log = createLogger({ level: 'silent', clock, write: () => {} })
  const { chat, maxSensitivity } = config.models
  const chatOptions = chat && { ...chat, maxSensitivity, chat: createChat({ ...chat, clock }) }
  const { textLanguage, tombstoneKey } = config.records
  const seal = createSeal(tombstoneKey)
  const writing = { ids, policies: createPoliciesService({ db, clock }), seal, textLanguage }
  const works = createTestWorks({
    db,
    clock,
    ids,
    log,
    dream: {
      ...config.cognition,
      ...dreaming,
      drift: { roots: config.driftRoots, textLanguage, ...dreaming },
      model: chatOptions,
      writing,
    },
    consolidate: createConsolidation({
      db,
      clock,
      ...writing,
      ...config.consolidation,
      extraction: chatOptions,
    }),
  })
  return createRunner({
    db,
    clock,
    ids,
    log,
    worker,
    jobWorks: addPlanApplication({ db, seal }, { ...works, ...others }),
    intervals,
    ...more,
  })
}
