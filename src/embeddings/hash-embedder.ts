import type { Embedding } from '../domain/similarity.ts'
import type { RetryOptions } from '../llm/request-retries.ts'
import { hashEmbedding } from './feature-hashing.ts'

export type Embedder = {
  provider: 'static' | 'hash' | 'openai'
  /**
   * Vectors of different names cannot be compared, so every change to the embedding of a text changes this name.
   */
  model: string
  /** Undefined until the first answer of a server that does not let the client choose. */
  dimensions: number | undefined
  /** Returns one vector per text, in the same order. It may be the zero vector. */
  embed(texts: readonly string[], retries?: Partial<RetryOptions>): Promise<Embedding[]>
}

/** Increase the number with every change of feature-hashing.ts. */
const hashModel = 'hash-v1'

/**
 * The built-in embedder of spelling. In a test with 3,000 paragraphs it finds the paragraph of an eight-word excerpt in 89 of 100
 * cases. With 384 dimensions it is 90, but each record takes half a kilobyte more.
 */
export function hashEmbedder(dimensions = 256): Embedder & { dimensions: number } {
  return {
    provider: 'hash',
    model: hashModel,
    dimensions,
    embed: async (texts) => texts.map((text) => hashEmbedding(text, dimensions)),
  }
}
