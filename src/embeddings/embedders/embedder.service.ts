import type { Clock } from '../../kernel/clock.ts'
import { createEmbeddingModel } from '../../llm/embedding-model.ts'
import type { Observe } from '../../llm/request-retries.ts'
import { createStaticEmbedder } from '../static/static-embedder.service.ts'
import type { Embedder } from './embedder.ts'
import { createHashEmbedder } from './hash-embedder.ts'

type EmbeddingSettings =
  | { provider: 'none' }
  | { provider: 'static' }
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
    case 'static':
      return createStaticEmbedder()
    case 'hash':
      return createHashEmbedder(settings.dimensions)
    case 'openai':
      return createEmbeddingModel({ ...settings, clock, observe })
  }
}

/** Returns the built-in embedder whose vectors are those of the model; undefined when there is none. */
export function findBuiltIn(row: {
  provider: string
  model: string
  dimensions: number
}): Embedder | undefined {
  return [createStaticEmbedder(), createHashEmbedder(row.dimensions)].find(
    ({ provider, model, dimensions }) =>
      provider === row.provider && model === row.model && dimensions === row.dimensions,
  )
}

/** A built-in embedder answers at once, and no text leaves the process. */
export function isBuiltIn({ provider }: Pick<Embedder, 'provider'>): boolean {
  return provider !== 'openai'
}
