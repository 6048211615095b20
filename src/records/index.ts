/**
 * Records: create, read, list, patch, audit log and erasure, and the functions by which other rooms load and change one.
 * Every change of a record goes through `loadForUpdate` and `writeChange`.
 * Not here: replacing records (revision/), edges (relations/), salience and importance (lifecycle/).
 */

export { createAnswerLimit, shortenWritten } from './answer-limit.ts'
export { appendEntry, computeWriteTime } from './audit-log/audit-log.ts'
export { type Confirmation, confirmFact, listAuthors } from './confirmation.ts'
export { rejectTakenIdentifiers } from './creation-checks.service.ts'
export { createForgottenError } from './deleted-record-errors.ts'
export {
  type DeletedRecord,
  findNextPurgeable,
  listPurgeable,
  purgeForgotten,
  purgeRecords,
} from './deleted-records.queries.ts'
export { maxMentions, storeDescents } from './descents.queries.ts'
export { type Descent, descentKinds, findDescentEdge, findNamedSources, inferDescents } from './descents.ts'
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
export { measureContents, readFirst, readFirstWhole } from './first-records.queries.ts'
export { formatLookupKey, mergeLookups } from './handle-lookups.ts'
export { joinFirst } from './joined-records.ts'
export {
  type LifecycleSnapshot,
  parseLifecycleSnapshot,
  snapshotColumns,
} from './lifecycle-snapshot.ts'
export { findMostSalient } from './listing/list.service.ts'
export { requireMergeableSize } from './merge-size.service.ts'
export { resolveNamedSources } from './named-sources.service.ts'
export { createTextUpdate } from './outdated-texts.service.ts'
export { maxNewRelations, maxSources, NewRelation, Provenance, RelationFields } from './provenance.schemas.ts'
export { addRecordAction, answerCreated, answerRecord } from './record-action.routes.ts'
export {
  isWhole,
  presentCreated,
  presentRecord,
  presentWritten,
  redactRecord,
} from './record-answer.ts'
export { type Change, createTransitionError, type StatusMove, writeChange } from './record-change.service.ts'
export { insertRecords } from './record-creation.queries.ts'
export {
  claimsRevision,
  createInvalidError,
  type DraftContext,
  draftRecord,
  findNewFactFaults,
} from './record-draft.ts'
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
} from './record-loading.service.ts'
export { describePayload } from './record-patch.ts'
export { writeRow } from './record-row.ts'
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
export {
  deleteRecord,
  raiseToRestored,
  reactivateRecord,
  restoreRecord,
} from './restoration.ts'
export type { ContentRow, Draft, RecordRow, StatusChangeRow, StoredRecord } from './stored-record.ts'
export { queueForEmbedding } from './unembedded.queries.ts'
export { presentVia, Via } from './via.ts'
