import type { Clock } from '../kernel/clock.ts'
import { createEmbeddingModel } from '../llm/embedding-model.ts'
import type { Observe } from '../llm/request-retries.ts'
import { type Embedder, hashEmbedder } from './hash-embedder.ts'

/** The settings from the configuration. */
export type EmbeddingSettings =
  | { provider: 'none' }
  | { provider: 'hash'; dimensions: number | undefined }
  | {
      provider: 'openai'
      endpoint: string
      model: string
      apiKey: string | undefined
      dimensions: number | undefined
      timeoutMs: number
    }

/** Returns the configured embedder; undefined when vectors are switched off. */
export function createEmbedder(
  settings: EmbeddingSettings,
  clock: Clock,
  observe?: Observe,
): Embedder | undefined {
  switch (settings.provider) {
    case 'none':
      return undefined
    case 'hash':
      return hashEmbedder(settings.dimensions)
    case 'openai':
      return createEmbeddingModel({ ...settings, clock, observe })
  }
}
