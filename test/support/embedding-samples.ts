import * as models from '../../src/embeddings/models/queries.ts'
import type { Sample } from './departing-samples.ts'

export const embeddingSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/embeddings/models/queries.ts': {
    findServingModel: (db) => models.findServingModel(db),
    findEmbeddingModel: (db) => models.findEmbeddingModel(db),
  },
}
