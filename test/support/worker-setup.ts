import { randomUUID } from 'node:crypto'
import { createConsolidation } from '../../src/consolidation/index.ts'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import { defaultRetentionShape } from '../../src/domain/lifecycle/retention.ts'
import { fullTrust } from '../../src/domain/trust/caller.ts'
import { createDream } from '../../src/dream/index.ts'
import { createHashEmbedder } from '../../src/embeddings/embedders/hash-embedder.ts'
import { createEmbeddingJob } from '../../src/embeddings/index.ts'
import { deleteExpiredAnswers } from '../../src/http/idempotency/idempotency.queries.ts'
import { type JobName, jobNames } from '../../src/jobs/job-names.ts'
import type { JobWork } from '../../src/jobs/runs.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createDecay, createImportanceRefresh, createPromotion } from '../../src/lifecycle/index.ts'
import { createChat } from '../../src/llm/chat.ts'
import { createRunner } from '../../src/maintenance/index.ts'
import { findRun, insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { presentRun } from '../../src/maintenance/run-answer.ts'
import { ensureJobRows } from '../../src/maintenance/running/leases.queries.ts'
import { addPlanApplication } from '../../src/plans/index.ts'
import { createPoliciesService } from '../../src/policies/index.ts'
import { createSimulation } from '../../src/simulation/index.ts'
import { createUndo } from '../../src/undo/index.ts'
import { createTestClock } from './clock.ts'
import { openTestDatabase } from './database.ts'
import { idleWorks, noIntervals } from './idle-jobs.ts'
import { createSmallConsolidation } from './small-consolidation.ts'
import type { TestApp } from './test-app.ts'
import { createTestPurge } from './test-purge.ts'

/** One day in milliseconds. */
export const day = 86_400_000
const keeping = { retentionMode: 'huber', retentionShape: defaultRetentionShape } as const
export const retention = { forgottenRetentionMs: 30 * day, revisedRetentionMs: 90 * day }

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

  const refresh = createImportanceRefresh({ db, blocks: sizes.blocks })
  const seal = createSeal(undefined)
  const textLanguage = 'english'
  const writing = { ids, seal, textLanguage, policies: createPoliciesService({ db, clock }) }
  const usual = {
    ...idleWorks,
    decay: createPromotion({ db, size: sizes.rows }).appendTo(createDecay({ db, ...retention, sizes })),
    refresh_importance: refresh,
    dream: createDream({
      db,
      ...retention,
      ...keeping,
      refresh,
      drift: { roots: [], textLanguage },
      writing,
      size: sizes.rows,
    }),
    consolidate: createSmallConsolidation({ db, clock, ids }),
    embed: createEmbeddingJob({ db, clock, ids, log, embedder: createHashEmbedder(), maxSensitivity: 'low' })
      .work,
    purge: createTestPurge({ expired: { idempotency_keys: deleteExpiredAnswers } }),
    undo: createUndo({ db, seal }),
  }

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
  const policies = createPoliciesService({ db, clock })
  const refresh = createImportanceRefresh({ db })
  const jobWorks = {
    ...idleWorks,
    decay: createPromotion({ db }).appendTo(createDecay({ db, ...retention })),
    dream: createDream({
      db,
      ...retention,
      ...config.cognition,
      refresh,
      ...dreaming,
      drift: { roots: config.driftRoots, textLanguage, ...dreaming },
      model: chatOptions,
      writing: { ids, policies, seal, textLanguage },
    }),
    refresh_importance: refresh,
    consolidate: createConsolidation({
      db,
      clock,
      ids,
      textLanguage,
      seal,
      policies,
      ...config.consolidation,
      extraction: chatOptions,
    }),
    embed: createEmbeddingJob({ db, clock, ids, log, embedder: createHashEmbedder(), maxSensitivity: 'low' })
      .work,
    purge: createTestPurge({ expired: { idempotency_keys: deleteExpiredAnswers } }),
    simulation: createSimulation({ db }),
    undo: createUndo({ db, seal }),
    ...others,
  }
  return createRunner({
    db,
    clock,
    ids,
    log,
    worker,
    jobWorks: addPlanApplication({ db, seal }, jobWorks),
    intervals,
    ...more,
  })
}
