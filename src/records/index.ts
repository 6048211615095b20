/**
 * Records: create, read, list, patch, audit log and erasure, and the functions by which other rooms load and change one.
 * Every change of a record goes through `loadForUpdate` and `writeChange`.
 * Not here: replacing records (revision/), edges (relations/), salience and importance (lifecycle/).
 */

export { createAnswerLimit, shortenWritten } from './answers/answer-limit.ts'
export {
  isWhole,
  presentCreated,
  presentRecord,
  presentWritten,
  redactRecord,
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
export { rejectTakenIdentifiers } from './creation/creation-checks.service.ts'
export { resolveNamedSources } from './creation/named-sources.service.ts'
export { insertRecords } from './creation/record-creation.queries.ts'
export {
  claimsRevision,
  createInvalidError,
  type DraftContext,
  draftRecord,
  findNewFactFaults,
} from './creation/record-draft.ts'
export { writeRow } from './creation/record-row.ts'
export { createForgottenError } from './deletion/deleted-record-errors.ts'
export {
  type DeletedRecord,
  findNextPurgeable,
  listPurgeable,
  purgeForgotten,
  purgeRecords,
} from './deletion/deleted-records.queries.ts'
export {
  type LifecycleSnapshot,
  parseLifecycleSnapshot,
  snapshotColumns,
} from './deletion/lifecycle-snapshot.ts'
export {
  deleteRecord,
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
export { formatLookupKey, mergeLookups } from './handle-lookups.ts'
export { findMostSalient } from './listing/list.service.ts'
export { maxNewRelations, maxSources, NewRelation, Provenance, RelationFields } from './provenance.schemas.ts'
export { measureContents, readFirst, readFirstWhole } from './reading/first-records.queries.ts'
export { joinFirst } from './reading/joined-records.ts'
export { requireMergeableSize } from './reading/merge-size.service.ts'
export {
  explainMissing,
  findReadableRecord,
  findRecordOrDeleted,
  loadAnyForUpdate,
  loadForUpdate,
  loadManyForUpdate,
  lockReadableRecord,
  lockReadableRecords,
  requireChangeable,
} from './reading/record-loading.service.ts'
export { addRecordAction, answerCreated, answerRecord } from './record-action.routes.ts'
export {
  findRecords,
  type HandleLookup,
  type HandleLookupResult,
  type HandleMatch,
  insertHandles,
  type KnownRecord,
  lockRecords,
  lookUpHandles,
} from './records.queries.ts'
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
