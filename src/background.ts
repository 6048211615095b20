import { hostname } from 'node:os'
import type { Config } from './config/config.ts'
import { createConsolidation } from './consolidation/index.ts'
import { createSeal } from './domain/tombstone-seal.ts'
import { createDream, deleteOldVerdicts } from './dream/index.ts'
import { createCompression, createEmbedder, createEmbeddingJob } from './embeddings/index.ts'
import { deleteExpiredAnswers } from './http/idempotency.queries.ts'
import type { JobHandler } from './jobs/job-message.ts'
import type { Clock } from './kernel/clock.ts'
import { createPromotion, createRefresh, createSweep } from './lifecycle/index.ts'
import { createChat } from './llm/chat.ts'
import { createPurge, createRunner, deleteOldRuns, startDueJobsPoll } from './maintenance/index.ts'
import { createPoliciesService } from './policies/index.ts'
import { deleteAbandonedEdges, deleteAbandonedLines } from './portability/index.ts'
import { createTextUpdate, purgeForgotten } from './records/index.ts'
import type { Resources } from './services.ts'
import { createInstruments, type Instruments } from './telemetry/instruments.ts'

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

/** Everything that a worker does: the handler of the queue's messages, and the polls beside the queue. */
export function createJobs({
  config,
  db,
  clock,
  ids,
  log,
  tracer,
  announcements,
  instruments = createInstruments(),
  pollMs,
}: Resources & { pollMs?: number }) {
  const { intervals, revisedRetentionMs } = config.jobs
  const { forgottenRetentionMs } = config.records
  const expired = {
    idempotency_keys: deleteExpiredAnswers,
    records: purgeForgotten,
    maintenance_runs: deleteOldRuns,
    dream_verdicts: deleteOldVerdicts,
    import_lines: deleteAbandonedLines,
    import_edges: deleteAbandonedEdges,
  }
  const embeddings = createEmbeddingJob({
    ...{ db, clock, log, maxSensitivity: config.models.maxSensitivity },
    embedder: createEmbedder(config.embedding, clock, instruments.observeModel('embed')),
  })
  const texts = createTextUpdate({ db, clock, log, textLanguage: config.records.textLanguage })
  const refresh = createRefresh({ db })
  const model = createBackgroundChat(config, clock, instruments)
  const writing = {
    ...{ ids, textLanguage: config.records.textLanguage, policies: createPoliciesService({ db, clock }) },
    seal: createSeal(config.records.tombstoneKey),
  }
  const jobWorks = {
    decay: createPromotion({ db }).addTo(createSweep({ db, forgottenRetentionMs, revisedRetentionMs })),
    consolidate: createConsolidation({
      ...{ db, clock, ids, textLanguage: config.records.textLanguage },
      seal: createSeal(config.records.tombstoneKey),
      policies: createPoliciesService({ db, clock }),
      ...config.consolidation,
      extraction: model,
    }),
    dream: createDream({
      ...{ db, forgottenRetentionMs, refresh, ...config.cognition },
      model,
      writing,
      drift: { roots: config.driftRoots, textLanguage: config.records.textLanguage },
    }),
    compress: createCompression({ db, ...config.cognition }),
    refresh_importance: refresh,
    embed: embeddings.work,
    purge: createPurge({ expired }),
  }
  const worker = `${hostname()}:${process.pid}`
  const runner = createRunner({ db, clock, ids, log, worker, jobWorks, intervals, tracer, announcements })
  const handle: JobHandler = async (job, signal, showRun) => ({
    runs: await runner.runJob(job, signal, showRun),
  })
  const startPolls = () => {
    const polls = [
      startDueJobsPoll({
        ...{ db, clock, log, worker, runner, intervals, announcements },
        ...(pollMs === undefined ? {} : { everyMs: pollMs }),
      }),
      embeddings.watch(),
      texts.watch(),
    ]
    return { stop: async () => void (await Promise.all(polls.map((poll) => poll.stop()))) }
  }
  return { handle, startPolls }
}
