export type { Embedder } from './embedder.ts'
export { hashEmbedder } from './embedder.ts'
export { createEmbedder, type EmbeddingSettings } from './service.ts'
