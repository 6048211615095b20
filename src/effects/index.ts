/**
 * Effects: the rows that a run wrote, applied later or taken back.
 * Here: what an effect is, and how they are written to the current rows. Not here: which runs keep effects (maintenance),
 * and who may apply or undo them.
 */
export { assignEdges, type Effect, isCreation, logs, type Row } from './effect.ts'
export {
  insertEntries,
  insertImportanceMoves,
  listBatches,
  listEffects,
  listWrittenVersions,
  markBatch,
} from './effects.queries.ts'
export { insertLogs, type Replayed, replay } from './effects.service.ts'
export { erasedContentNote } from './erased-contents.service.ts'
export { deleteRevisionEffects } from './revision-effects.queries.ts'
export { createRewrite, describeEntries } from './taken-back.ts'
