import { hostname } from 'node:os'
import type { Config } from './config/config.ts'
import { createConsolidation } from './consolidation/index.ts'
import type { Database } from './db/connection.ts'
import { createSeal } from './domain/identity/tombstone-seal.ts'
import { createDream, deleteOldVerdicts } from './dream/index.ts'
import { deleteRevisionEffects } from './effects/index.ts'
import { createCompression, createEmbedder, createEmbeddingJob } from './embeddings/index.ts'
import { deleteExpiredAnswers } from './http/idempotency/idempotency.queries.ts'
import { joinPolls } from './jobs/poll.ts'
import type { JobHandler } from './jobs/queue/job-message.ts'
import type { Clock } from './kernel/clock.ts'
import type { Tracer } from './kernel/span.ts'
import { dayMs, subtractMilliseconds } from './kernel/units.ts'
import { createDecay, createImportanceRefresh, createPromotion } from './lifecycle/index.ts'
import { createChat } from './llm/chat.ts'
import {
  createDueJobs,
  createHistoryKeeping,
  createPurge,
  createRunner,
  deleteOldRuns,
  startDueJobsPoll,
} from './maintenance/index.ts'
import { addPlanApplication, deleteExpiredPlans } from './plans/index.ts'
import { createPoliciesService } from './policies/index.ts'
import { createAbandonedRemoval } from './portability/index.ts'
import { createTextUpdate } from './records/index.ts'
import { deleteOldRegrets } from './regrets/index.ts'
import type { Resources } from './services.ts'
import { createSimulation } from './simulation/index.ts'
import { createInstruments, type Instruments } from './telemetry/instruments.ts'
import { createUndo } from './undo/index.ts'

/** A revision can be taken back for as long as the records that it replaced are kept, and at least for this time. */
const minRevisionMs = 90 * dayMs

/** The chat model of extraction and of the dream. */
function createBackgroundChat(
  { models: { chat, maxSensitivity } }: Config,
  clock: Clock,
  instruments: Instruments,
) {
  if (!chat) return undefined
  const observe = instruments.observeModel('background', chat.ceilings)
  return { ...chat, maxSensitivity, chat: createChat({ ...chat, clock, observe }) }
}

/** The clients of models, which several tenants share. */
export function createBackgroundModels({
  config,
  clock,
  instruments,
}: Pick<Resources, 'config' | 'clock'> & { instruments: Instruments }) {
  return {
    chat: createBackgroundChat(config, clock, instruments),
    embedder: createEmbedder(config.embedding, clock, instruments.observeModel('embed')),
  }
}

export type BackgroundResources = Omit<Resources, 'models' | 'tenantReference'> & {
  /** Connections that no batch uses, for the leases of runs. */
  heartbeatDb?: Database
  tracer?: Tracer | undefined
  pollMs?: number
  /** How far the clock may be ahead of that of the database; see `createRunner`. */
  maxClockLeadMs?: number
  models?: ReturnType<typeof createBackgroundModels>
}

/** Everything that a worker does: the handler of the queue's messages, and the polls beside the queue. */
export function createJobs({
  config,
  db,
  heartbeatDb = db,
  clock,
  ids,
  log,
  tracer,
  announcements,
  instruments = createInstruments(),
  models = createBackgroundModels({ config, clock, instruments }),
  pollMs,
  maxClockLeadMs,
}: BackgroundResources) {
  const { intervals, revisedRetentionMs, historyRetentionMs } = config.jobs
  const { forgottenRetentionMs } = config.records
  const revisionMs = Math.max(revisedRetentionMs, minRevisionMs)
  // The log is needed to restore a record and to take a revision back.
  const histories = createHistoryKeeping({
    historyRetentionMs: Math.max(historyRetentionMs, revisionMs, forgottenRetentionMs),
  })
  const expired = {
    idempotency_keys: deleteExpiredAnswers,
    maintenance_runs: deleteOldRuns,
    dream_verdicts: deleteOldVerdicts,
    import_lines: createAbandonedRemoval('import_lines'),
    import_edges: createAbandonedRemoval('awaiting_edges'),
    regrets: deleteOldRegrets,
    plans: deleteExpiredPlans,
    revisions: (db: Database, now: Date, limit: number) =>
      deleteRevisionEffects(db, subtractMilliseconds(now, revisionMs), limit),
  }
  const embeddings = createEmbeddingJob({
    db,
    clock,
    ids,
    log,
    maxSensitivity: config.models.maxSensitivity,
    embedder: models.embedder,
  })
  const texts = createTextUpdate({ db, clock, log, textLanguage: config.records.textLanguage })
  const refresh = createImportanceRefresh({ db })
  const model = models.chat
  const writing = {
    ids,
    textLanguage: config.records.textLanguage,
    policies: createPoliciesService({ db, clock }),
    seal: createSeal(config.records.tombstoneKey),
  }
  const jobWorks = addPlanApplication(
    { db, seal: writing.seal },
    {
      decay: createPromotion({ db }).appendTo(createDecay({ db, forgottenRetentionMs, revisedRetentionMs })),
      consolidate: createConsolidation({ db, clock, ...writing, ...config.consolidation, extraction: model }),
      dream: createDream({
        db,
        forgottenRetentionMs,
        refresh,
        ...config.cognition,
        model,
        writing,
        drift: { roots: config.driftRoots, textLanguage: config.records.textLanguage },
      }),
      compress: createCompression({ db, ...config.cognition }),
      refresh_importance: refresh,
      embed: embeddings.work,
      purge: createPurge({
        expired,
        keepHistories: histories.keep,
      }),
      simulation: createSimulation({ db }),
      undo: createUndo({ db, seal: writing.seal }),
    },
  )
  const worker = `${hostname()}:${process.pid}`
  const runner = createRunner({
    db,
    heartbeatDb,
    clock,
    ids,
    log,
    worker,
    jobWorks,
    intervals,
    tracer,
    announcements,
    planRetentionMs: config.jobs.planRetentionMs,
    maxClockLeadMs,
  })
  const handle: JobHandler = async (job, signal, showRun) => ({
    runs: await runner.runJob(job, signal, showRun),
  })
  /** Looks for texts to embed and to read again. */
  const watchTexts = () => joinPolls([embeddings.watch(), texts.watch()])
  const startPolls = () => {
    const dueJobs = { db, clock, log, worker, runner, intervals, announcements, everyMs: pollMs }
    return joinPolls([startDueJobsPoll(dueJobs), watchTexts()])
  }
  return {
    handle,
    startPolls,
    watchTexts,
    findDue: createDueJobs({ db, clock, worker, intervals }),
    hasTexts: async () => (await embeddings.hasWork()) || (await texts.hasWork()),
  }
}
