/**
 * Revisions: supersede, fork, merge, contest and retract records, and the lineage of a record.
 * Other rooms use `retireRecord`, `deleteProfileRows`, `copyLinks` and `revertMerge` for the same operations.
 * Not here: single changes of a record (records/) and merges of entities (entities/).
 */

export { revertMerge } from './merge-reversal.service.ts'
export { deleteProfileRows } from './quoting-records.queries.ts'
export { retireQuoting } from './quoting-records.service.ts'
export { retireRecord } from './retirement.service.ts'
export { createReversalService } from './reversal.service.ts'
export { copyLinks } from './revision.queries.ts'
export { revisionRoutes } from './revision.routes.ts'
export { createRevisionService, type RevisionService } from './revision.service.ts'
