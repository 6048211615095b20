import { randomUUID } from 'node:crypto'
import { transact } from '../../../src/db/transaction.ts'
import { fullTrust, type Sensitivity } from '../../../src/domain/trust/caller.ts'
import { createCellAssigner } from '../../../src/embeddings/cells/cell-assigner.service.ts'
import { createCellCache } from '../../../src/embeddings/cells/cell-cache.service.ts'
import type { Embedder } from '../../../src/embeddings/embedders/embedder.ts'
import { createHashEmbedder } from '../../../src/embeddings/embedders/hash-embedder.ts'
import { createTextEmbedder } from '../../../src/embeddings/embedders/text-embedding.service.ts'
import { createModelRegistration } from '../../../src/embeddings/embedding-models.service.ts'
import { createEmbeddingJob } from '../../../src/embeddings/index.ts'
import { createEmbeddingPass } from '../../../src/embeddings/queue/embedding-pass.service.ts'
import type { RunContext } from '../../../src/jobs/runs/runs.ts'
import { createLogger } from '../../../src/kernel/log.ts'
import { createEmbeddingModel } from '../../../src/llm/embedding-model.ts'
import { createRunner } from '../../../src/maintenance/index.ts'
import { findRun, insertRun } from '../../../src/maintenance/maintenance.queries.ts'
import { presentRun } from '../../../src/maintenance/run-answer.ts'
import { patientMs } from '../models/chat-server.ts'
import type { TestApp } from '../test-app.ts'
import { idleWorks, noIntervals } from './idle-jobs.ts'

type Asked = { dryRun?: boolean; scope?: string; signal?: AbortSignal }

/** Creates a worker beside an API, with an embedder of its own. */
export function createEmbeddingWorker(
  { db, clock, ids }: Pick<TestApp, 'db' | 'clock' | 'ids'>,
  embedder: Embedder | null = createHashEmbedder(),
  maxSensitivity: Sensitivity = 'low',
) {
  const lines: string[] = []
  const log = createLogger({ level: 'info', clock, write: (line) => void lines.push(line) })
  const { work, watch } = createEmbeddingJob({
    db,
    clock,
    ids,
    log,
    maxSensitivity,
    embedder: embedder ?? undefined,
  })
  const jobWorks = { ...idleWorks, embed: work }
  const runner = createRunner({ db, clock, ids, log, worker: randomUUID(), jobWorks, intervals: noIntervals })

  /** Requests a run of the job and returns it when it has ended. */
  async function run({ signal = new AbortController().signal, ...options }: Asked = {}) {
    const id = randomUUID()
    await insertRun(db, { id, job: 'embed', trigger: 'manual', now: clock.now(), ...options })
    await runner.runJob('embed', signal)
    const row = await findRun(db, id, fullTrust)
    if (!row) throw new Error('no such run')
    return presentRun(row)
  }

  return { run, watch, work, lines }
}

/**
 * Returns a function that does the work of the embedding job without a run, so that a test can count its
 * statements.
 */
export function createPassWithoutRun(
  { db, clock, ids }: Pick<TestApp, 'db' | 'clock' | 'ids'>,
  embedder: Embedder = createHashEmbedder(),
  { deadlineMs }: { deadlineMs?: number } = {},
) {
  const log = createLogger({ level: 'silent', clock, write: () => {} })
  const { ask: askUntil, measure } = createTextEmbedder(embedder)
  const ask: typeof askUntil = (texts, options) =>
    askUntil(texts, { ...options, deadlineMs: deadlineMs ?? options.deadlineMs })
  const resources = { db, clock, log, embedder, maxSensitivity: 'low' } as const
  const registration = createModelRegistration({ ...resources, ids, measure })
  const cellAssigner = createCellAssigner({ db, cache: createCellCache() })
  const embedding = createEmbeddingPass({ ...resources, ask, cellAssigner })
  return async (signal = new AbortController().signal) => {
    const model = await registration.findOwnModel(signal)
    if (!model) return undefined
    const inBatch: RunContext['inBatch'] = (work) => transact(db, {}, work)
    return embedding.processQueue({ model, scope: null, signal, inBatch })
  }
}

/** Creates an embedder that calls a server. */
export const createServerEmbedder = (
  { clock }: Pick<TestApp, 'clock'>,
  url: string,
  more: Partial<Parameters<typeof createEmbeddingModel>[0]> = {},
) => createEmbeddingModel({ endpoint: url, model: 'm1', timeoutMs: patientMs, clock, ...more })

/** Reads every vector with its model and signature. */
export async function readVectors({ db }: Pick<TestApp, 'db'>) {
  return db
    .selectFrom('embeddings as e')
    .innerJoin('embedding_models as m', 'm.id', 'e.model_id')
    .leftJoin('signatures as s', (join) =>
      join.onRef('s.record_id', '=', 'e.record_id').onRef('s.model_id', '=', 'e.model_id'),
    )
    .select(['e.record_id', 'e.code', 'e.bits', 'm.model', 'm.dimensions', 's.bits as signature'])
    .orderBy('e.record_id')
    .orderBy('m.id')
    .execute()
}

/** Reads the records that wait for a vector. */
export async function readEmbeddingQueue({ db }: Pick<TestApp, 'db'>) {
  return db.selectFrom('unembedded').selectAll().orderBy('record_id').execute()
}

/** Reads the registered embedding models. */
export async function readEmbeddingModels({ db }: Pick<TestApp, 'db'>) {
  return db
    .selectFrom('embedding_models')
    .select(['provider', 'model', 'dimensions', 'serves', 'embeds', 'walked_to'])
    .orderBy('id')
    .execute()
}
