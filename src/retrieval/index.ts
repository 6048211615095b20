/**
 * Answers a question with records. Its way through the files:
 * 1. `question/` reads the request and its words, and in `periods/` the times that it names. `filters.queries.ts` makes trust
 *    and all filters conditions of every statement, so that excluded records affect no order and no cut. `instant/` is the state of
 *    a record at the instant of the question, which may be in the past.
 * 2. `root-search.service.ts` finds the roots of the answer. The channels `text` (words, `text/`), `vector`, `graph` (the
 *    entities that the question names) and `time` (the periods that it names) are searched at once (`channels/`).
 *    `candidates/` reads what is known of each record that they find. `fusion.ts` in `scoring/` makes one order of them, with the
 *    factors of `score-factors.ts`. Where nothing is asked for or found, `salience-ranking.service.ts` takes the most salient
 *    records. In `text/`, `stems/` finds the words to search for, `statistics/` says how common they are, `surroundings/` scores
 *    messages by their neighbours, and `memory/` keeps the words in the process.
 * 3. `expansion/` follows edges from the roots, hop by hop.
 * 4. `retrieval.service.ts` reads and presents the records, and selects a procedure among them (`selection.ts`).
 * 5. `prompt/` writes such an answer as a text for a prompt. In `prompt/`, `statements/` says in words what a record holds.
 * `suppression/` finds the records that only their status, validity or salience keeps out of an answer, and `similar/` those like a
 * record or a text.
 * Not here: the vector search itself (embeddings/), lists of records (records/listing/), the log of accesses (lifecycle/).
 */
export { createPromptContextService } from './prompt/prompt-context.service.ts'
export { quoteAsLine, showHidden } from './prompt/quoted-text.ts'
export { isContested } from './prompt/record-checks.ts'
export { stateRecord } from './prompt/statements/record-statement.ts'
export { containsWords } from './prompt/statements/statement-parts.ts'
export { retrievalRoutes } from './retrieval.routes.ts'
export { createRetrievalService } from './retrieval.service.ts'
export { similarRoutes } from './similar/similar.routes.ts'
export { createSimilarService } from './similar/similar.service.ts'
export { createTextMemory } from './text/memory/text-memory.service.ts'
export { createTextSearch } from './text/text-search.service.ts'
