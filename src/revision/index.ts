/**
 * Revisions: supersede, fork, merge, contest and retract records, and the lineage of a record.
 * - `retirement/` makes a record history, and with it what a dream wrote from the record.
 * - `reversal/` takes a revision back.
 * Other rooms use `retireRecord`, `deleteProfileRows`, `copyLinks` and `revertMerge` for the same operations.
 * Not here: single changes of a record (records/) and merges of entities (entities/).
 */

export { deleteProfileRows } from './retirement/quoting-records.queries.ts'
export { retireQuoting } from './retirement/quoting-records.service.ts'
export { retireRecord } from './retirement/retirement.service.ts'
export { revertMerge } from './reversal/merge-reversal.service.ts'
export { createReversalService } from './reversal/reversal.service.ts'
export { copyLinks } from './revision.queries.ts'
export { revisionRoutes } from './revision.routes.ts'
export { createRevisionService, type RevisionService } from './revision.service.ts'
