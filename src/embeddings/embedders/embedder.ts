import type { Embedding } from '../../domain/vectors/similarity.ts'
import type { RetryOptions } from '../../llm/request-retries.ts'

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
