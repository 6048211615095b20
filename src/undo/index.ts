/**
 * Undo: what a run of a job did is taken back.
 * Here: the job, and what taking back means for a record. Not here: the rows that a run wrote and how they are replayed (effects).
 */
export { createUndo } from './undo.job.ts'
export { isKept, NewUndo, requireUndoable } from './undo-request.service.ts'
