export { withEntry, writtenAt } from './audit-log.ts'
export { confirmFact, type Testimony, tellersOf, withNewest } from './confirmation.ts'
export { gone } from './deleted-record.ts'
export { type DepartureRow, purgeForgotten } from './deleted-records.queries.ts'
export { claimOf, type Descent, descentKinds, inferDescents } from './descent.ts'
export { erasureRoutes } from './erasure/erasure.routes.ts'
export { createErasureService } from './erasure/erasure.service.ts'
export { shareTombstones } from './erasure/tombstones.queries.ts'
export { tombstonesRoutes } from './erasure/tombstones.routes.ts'
export {
  createTombstonesService,
  erasedContent,
  findErasedContents,
  refuseErasedContent,
} from './erasure/tombstones.service.ts'
export { reviveVitals, type Vitals } from './lifecycle-snapshot.ts'
export { findMostSalient } from './listing/list.service.ts'
export { createTextUpdate } from './outdated-texts.service.ts'
export { answerNew, answerWritten, presentRecord, redactRecord } from './record-answer.ts'
export { type Change, invalidTransition, type StatusMove, writeChange } from './record-change.service.ts'
export {
  claimAnyRecord,
  claimRecord,
  claimRecords,
  findKnownRecord,
  findOpenRecord,
  lockOpenRecord,
  lockOpenRecords,
  requireChangeable,
} from './record-claim.service.ts'
export { insertRecords } from './record-creation.queries.ts'
export { refuseTakenIdentifiers } from './record-creation.service.ts'
export { type DraftContext, draftRecord } from './record-draft.ts'
export { describePayload } from './record-patch.ts'
export {
  type Findings,
  findRecords,
  insertHandles,
  type KnownRecord,
  type Sought,
  seekHandles,
  selectStored,
  type WantedHandle,
} from './records.queries.ts'
export { recordsRoutes } from './records.routes.ts'
export {
  MemoryRecord,
  NewRecord,
  Provenance,
  RecordPage,
  RecordPath,
  RedactedRecord,
  SeenRecord,
  WrittenRecord,
} from './records.schemas.ts'
export { createRecordsService, type RecordsService } from './records.service.ts'
export { reinstate } from './reinstatement.ts'
export { describeForgetting, leastRestored, restoreRecord } from './restoration.ts'
export { settleClaims } from './source-claims.service.ts'
export type { ContentRow, Draft, RecordRow, StatusChangeRow, StoredRecord } from './stored-record.ts'
export { presentVia, Via } from './via.ts'
