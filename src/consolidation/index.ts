/**
 * Consolidation: derives facts, skills and plans from new episodes, and halves the salience of old episodes.
 * Each stage processes its own rows of `unconsolidated` in batches.
 * - `compression/` halves the salience.
 * - `facts/` takes facts from the statements in events, and stores or confirms them.
 * - `extraction/` asks a chat model for more facts.
 * - `practices/` learns skills and plans from the tools that episodes used.
 * Not here: work on records of any age, such as merging and archiving (dream/).
 */

export { createConsolidation } from './consolidation.job.ts'
export { ConsolidationOptions } from './consolidation.schemas.ts'
