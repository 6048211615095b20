/**
 * Answers a question with records: search by text, vector and name, fusion by score, expansion along edges.
 * `prompt/` writes an answer as a text for a prompt.
 * Every search includes trust and all filters in its own SQL, so that excluded records affect no order and no cut.
 * Not here: the vector search itself (embeddings/), lists of records (records/listing/), the log of accesses (lifecycle/).
 */
export { createPromptContextService } from './prompt/prompt-context.service.ts'
export { stateRecord } from './prompt/record-statement.ts'
export { retrievalRoutes } from './retrieval.routes.ts'
export { createRetrievalService } from './retrieval.service.ts'
export { similarRoutes } from './similar.routes.ts'
export { createSimilarService } from './similar.service.ts'
export { createTextMemory } from './text/memory/text-memory.service.ts'
export { createTextSearch } from './text/text-search.service.ts'
