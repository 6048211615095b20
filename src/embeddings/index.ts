/**
 * Vectors of records: a text gets its vector in the worker, after the write.
 * - `embedders/` makes vectors of texts, with the providers; `static/` is the built-in provider, with related words and spelling.
 * - `queue/` embeds the texts that wait.
 * - `vectors/` is the stored forms of a vector and its signature; `compression/` stores vectors of fading records in fewer bits.
 * - `search/` finds the nearest vectors in the database, `cells/` divides a large store for it, and `memory/` finds them in the process.
 * - `surprise/` compares the first vector of a record with its neighbours.
 * Not here: ranking of answers (retrieval/), the HTTP client of a model (llm/), arithmetic on vectors (domain/).
 */
export { createCellCache } from './cells/cell-cache.service.ts'
export { cellsPerSet } from './cells/cells.ts'
export { createCompression } from './compression/compression.job.ts'
export { createEmbedder } from './embedders/embedder.service.ts'
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
