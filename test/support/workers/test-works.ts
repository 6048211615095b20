import { createDream } from '../../../src/dream/index.ts'
import { createHashEmbedder } from '../../../src/embeddings/embedders/hash-embedder.ts'
import { createEmbeddingJob } from '../../../src/embeddings/index.ts'
import { deleteExpiredAnswers } from '../../../src/http/idempotency/idempotency.queries.ts'
import type { JobWork } from '../../../src/jobs/runs/runs.ts'
import { createDecay, createImportanceRefresh, createPromotion } from '../../../src/lifecycle/index.ts'
import { createSimulation } from '../../../src/simulation/index.ts'
import { createUndo } from '../../../src/undo/index.ts'
import { idleWorks } from './idle-jobs.ts'
import { createTestPurge } from './test-purge.ts'

/** One day in milliseconds. */
export const day = 86_400_000
export const retention = { forgottenRetentionMs: 30 * day, revisedRetentionMs: 90 * day }

type Dream = Parameters<typeof createDream>[0]

type Options = Omit<Parameters<typeof createEmbeddingJob>[0], 'embedder' | 'maxSensitivity'> & {
  refresh?: Omit<Parameters<typeof createImportanceRefresh>[0], 'db'>
  promotion?: Omit<Parameters<typeof createPromotion>[0], 'db'>
  decay?: Omit<Parameters<typeof createDecay>[0], 'db' | keyof typeof retention>
  dream: Omit<Dream, 'db' | 'refresh' | 'forgottenRetentionMs'>
  consolidate: JobWork
}

/** What each job of a worker does, in the sizes of a test. */
export function createTestWorks({
  db,
  refresh,
  promotion,
  decay,
  dream,
  consolidate,
  ...embedding
}: Options) {
  const importance = createImportanceRefresh({ db, ...refresh })
  return {
    ...idleWorks,
    decay: createPromotion({ db, ...promotion }).appendTo(createDecay({ db, ...retention, ...decay })),
    refresh_importance: importance,
    dream: createDream({ db, ...retention, refresh: importance, ...dream }),
    consolidate,
    embed: createEmbeddingJob({ db, ...embedding, embedder: createHashEmbedder(), maxSensitivity: 'low' })
      .work,
    purge: createTestPurge({ expired: { idempotency_keys: deleteExpiredAnswers } }),
    simulation: createSimulation({ db }),
    undo: createUndo({ db, seal: dream.writing.seal }),
  }
}
