import type { Config } from './config/config.ts'
import type { Database } from './db/connection.ts'
import { runReading } from './db/request-scope.ts'
import {
  createCellCache,
  createQueryEmbedder,
  createSurprisePreviewService,
  createVectorSearch,
} from './embeddings/index.ts'
import type { Clock } from './kernel/clock.ts'
import type { Logger } from './kernel/log.ts'
import type { Models } from './models.ts'
import { createRegretSampling, createRegretsService } from './regrets/index.ts'
import {
  createPromptContextService,
  createRetrievalService,
  createSimilarService,
  createTextSearch,
} from './retrieval/index.ts'

type Resources = { config: Config; db: Database; clock: Clock; log: Logger; models: Models }

/** The services that answer questions, and those that use the questions to find regrets. */
export function createSearchServices({ config, db, clock, log, models }: Resources) {
  const { embedder, vectorMemory, textMemory } = models
  const queryEmbedder = createQueryEmbedder({
    db,
    clock,
    log,
    embedder,
    timeoutMs: config.queryEmbeddingTimeoutMs,
  })
  const cells = createCellCache()
  const vectors = createVectorSearch({ db, clock, cells, memory: vectorMemory.openStore({ db, cells }) })
  const retrieval = createRetrievalService({
    db,
    clock,
    queryEmbedder,
    vectors,
    ...config.retrieval,
    text: createTextSearch({ clock, ...config.records, memory: textMemory.openStore(db) }),
  })
  const regretSampling = createRegretSampling({
    db,
    clock,
    random: Math.random,
    ...config.regrets,
    // No request waits for it, so a replica may answer.
    findWithForgotten: (...asked: Parameters<typeof retrieval.findWithForgotten>) =>
      runReading({ isPrimaryOnly: false }, () => retrieval.findWithForgotten(...asked)),
  })
  const regrets = createRegretsService({ db, clock })
  const promptContext = createPromptContextService({ db, clock, retrieval, ...config.retrieval })
  const similar = createSimilarService({ db, clock, queryEmbedder, vectors })
  const surprisePreview = createSurprisePreviewService({ db, queryEmbedder, vectors })
  return { retrieval, promptContext, regretSampling, regrets, similar, surprisePreview }
}
