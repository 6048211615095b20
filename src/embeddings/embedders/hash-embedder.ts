import type { Embedder } from './embedder.ts'
import { hashEmbedding } from './feature-hashing.ts'

/** Increase the number with every change of feature-hashing.ts. */
const hashModel = 'hash-v1'

/**
 * The built-in embedder of spelling. In a test with 3,000 paragraphs it finds the paragraph of an eight-word excerpt in 89 of 100
 * cases. With 384 dimensions it is 90, but each record takes half a kilobyte more.
 */
export function createHashEmbedder(dimensions = 256): Embedder & { dimensions: number } {
  return {
    provider: 'hash',
    model: hashModel,
    dimensions,
    embed: async (texts) => texts.map((text) => hashEmbedding(text, dimensions)),
  }
}
