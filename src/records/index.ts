/**
 * Records, and the functions by which other rooms load and change one. Every change goes through `loadForUpdate` and `writeChange`.
 * - `creation/` makes a draft of a new record, checks it against what is stored, and inserts it.
 * - `reading/` loads records for an answer or for a change, and leaves out those that make an answer too long.
 * - `answers/` is the record as a caller sees it, without what its key may not read.
 * - `change/` applies a patch, and writes every change with its audit entry.
 * - `deletion/` forgets, restores and purges, and keeps of each purged or erased record a row in `departures`.
 * - `erasure/` erases content for good and keeps it from being stored again.
 * - `descent/` is which records were made from which, and what follows for those made from a record that moves or hides.
 * - `handles/` is the names and identifiers by which records are found.
 * - `listing/` is lists and their filters, `audit-log/` the log of a record, `search-texts/` texts and vectors to compute again.
 * Not here: replacing records (revision/), edges (relations/), salience and importance (lifecycle/).
 */

export { createAnswerLimit, shortenWritten } from './answers/answer-limit.ts'
export { findHiddenIds } from './answers/hidden-ids.queries.ts'
export { maskRecord, maskRecords } from './answers/masked-record.ts'
export {
  isWhole,
  presentCreated,
  presentRecord,
  presentSeen,
  presentWritten,
} from './answers/record-answer.ts'
export { appendEntry, computeWriteTime } from './audit-log/audit-log.ts'
export { type Confirmation, confirmFact, listAuthors } from './change/confirmation.ts'
export {
  type Change,
  createTransitionError,
  type StatusMove,
  writeChange,
} from './change/record-change.service.ts'
export { describePayload } from './change/record-patch.ts'
export { createHistoryError, describeSuccessor } from './change/successor-errors.ts'
export { findSuccessor } from './change/successors.queries.ts'
export { findSuccessors } from './change/successors.service.ts'
export { rejectTakenIdentifiers } from './creation/creation-checks.service.ts'
export { resolveNamedSources } from './creation/named-sources.service.ts'
export { insertRecords } from './creation/record-creation.queries.ts'
export { recordCreationRoutes } from './creation/record-creation.routes.ts'
export type { CreationResources, WritingResources } from './creation/record-creation.service.ts'
export {
  claimsRevision,
  createInvalidError,
  type DraftContext,
  draftRecord,
  findNewPayloadFaults,
} from './creation/record-draft.ts'
export { writeRow } from './creation/record-row.ts'
export {
  type Departure,
  findNextPurgeable,
  listPurgeable,
  purgeForgotten,
  purgeRecords,
} from './deletion/departures.queries.ts'
export { createForgottenError } from './deletion/gone-errors.ts'
export {
  type LifecycleSnapshot,
  parseLifecycleSnapshot,
  snapshotColumns,
} from './deletion/lifecycle-snapshot.ts'
export {
  forgetRecord,
  raiseToRestored,
  reactivateRecord,
  restoreRecord,
} from './deletion/restoration.ts'
export { maxMentions, storeDescents } from './descent/descents.queries.ts'
export {
  type Descent,
  descentKinds,
  findDescentEdge,
  findNamedSources,
  inferDescents,
} from './descent/descents.ts'
export { erasureRoutes } from './erasure/erasure.routes.ts'
export { Erasure, ErasureReceipt } from './erasure/erasure.schemas.ts'
export { createErasureService } from './erasure/erasure.service.ts'
export { lockTombstonesShared } from './erasure/tombstones.queries.ts'
export { tombstonesRoutes } from './erasure/tombstones.routes.ts'
export {
  createErasedContentError,
  createTombstonesService,
  findErasedContents,
  findErasedRecords,
  requireNotErasedContent,
} from './erasure/tombstones.service.ts'
export { formatLookupKey, mergeLookups } from './handles/handle-lookups.ts'
export {
  type HandleLookup,
  type HandleLookupResult,
  type HandleMatch,
  insertHandles,
  type KnownRecord,
  lookUpHandles,
} from './handles/handles.queries.ts'
export { findMostSalient } from './listing/list.service.ts'
export {
  maxNewRelations,
  maxSources,
  NewPredicate,
  NewRelation,
  Provenance,
  RelationFields,
} from './provenance.schemas.ts'
export { measureContents, readFirst, readFirstWhole } from './reading/first-records.queries.ts'
export { joinFirst } from './reading/joined-records.ts'
export { requireMergeableSize } from './reading/merge-size.service.ts'
export {
  explainMissing,
  findReadableRecord,
  findRecordOrDeparture,
  loadAnyForUpdate,
  loadForUpdate,
  loadManyForUpdate,
  lockReadableRecord,
  lockReadableRecords,
  requireChangeable,
  requireWhole,
} from './reading/record-loading.service.ts'
export { addRecordAction, answerCreated, answerRecord } from './record-action.routes.ts'
export { findRecords, lockRecords, lockVisibleRecords } from './records.queries.ts'
export { recordsRoutes } from './records.routes.ts'
export {
  MemoryRecord,
  NewRecord,
  RecordPage,
  RecordPath,
  RedactedRecord,
  SeenRecord,
  WrittenRecord,
} from './records.schemas.ts'
export { createRecordsService, type RecordsService } from './records.service.ts'
export { createTextUpdate } from './search-texts/outdated-texts.service.ts'
export { queueForEmbedding } from './search-texts/unembedded.queries.ts'
export type { ContentRow, Draft, RecordRow, StatusChangeRow, StoredRecord } from './stored-record.ts'
export { presentVia, Via } from './via.ts'
