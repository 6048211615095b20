/**
 * Consolidation: derives facts, skills and plans from new episodes, and halves the salience of old episodes.
 * Each stage processes its own rows of `unconsolidated` in batches.
 * Not here: work on records of any age, such as merging and archiving (dream/).
 */

export { createConsolidation } from './consolidation.job.ts'
export { ConsolidationOptions } from './consolidation.schemas.ts'
