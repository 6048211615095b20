/**
 * Undo: takes back what a run of a job did.
 * Here: the job, what a request for it says, and what taking back means for a record. Not here: the route, whose answer is a
 * run (maintenance/), and the rows that a run wrote and how they are replayed (effects/).
 */
export { createUndo } from './undo.job.ts'
export { NewUndo } from './undo.schemas.ts'
export { isKept, requireUndoable } from './undo-request.service.ts'
