/**
 * Vectors of records: the embedders, the queue of texts, the model registry, compression, search and surprise.
 * A text gets its vector in the worker, after the write.
 * Not here: ranking of answers (retrieval/), the HTTP client of a model (llm/), arithmetic on vectors (domain/).
 */
export { createCellCache } from './cells/cell-cache.service.ts'
export { cellsPerSet } from './cells/cells.ts'
export { createCompression } from './compression/compression.job.ts'
export { createEmbedder, type EmbeddingSettings } from './embedders/embedder.service.ts'
export { createQueryEmbedder } from './embedders/query-embedding.service.ts'
export { findServingModel } from './embedding-models.queries.ts'
export { createEmbeddingJob } from './embeddings.job.ts'
export { createVectorMemory } from './memory/vector-memory.service.ts'
export { ensureNearestIndex } from './search/vector-index.service.ts'
export { findCodes } from './search/vector-search.queries.ts'
export { createVectorSearch } from './search/vector-search.service.ts'
export { findRelatedWords } from './static/related-words.service.ts'
export { findCorrections, mayBeMisspelled } from './static/spelling.service.ts'
export { isHashed } from './static/static-embedding.ts'
export { surpriseRoutes } from './surprise/surprise-preview.routes.ts'
export { createSurprisePreviewService } from './surprise/surprise-preview.service.ts'
export { readId, type SignatureMatrix, unpackSignatures } from './vectors/signature-matrix.ts'
