export { type Change, invalidTransition, type StatusMove, writeChange } from './changing/service.ts'
export {
  claimRecord,
  claimRecords,
  findKnownRecord,
  findOpenRecord,
  lockOpenRecord,
  lockOpenRecords,
  requireChangeable,
} from './claiming/service.ts'
export { settleClaims } from './creation/claims/service.ts'
export { insertRecords } from './creation/queries.ts'
export { refuseTakenIdentifiers } from './creation/service.ts'
export type { DepartureRow } from './departures/queries.ts'
export { purgeForgotten } from './departures/queries.ts'
export { erasureRoutes } from './erasure/routes.ts'
export { createErasureService } from './erasure/service.ts'
export { forgettingRoutes } from './forgetting/routes.ts'
export { createForgettingService } from './forgetting/service.ts'
export { findMostSalient } from './listing/service.ts'
export { createTextUpdate } from './outdated/service.ts'
export { answerWritten } from './presentation.ts'
export { claimEpisodic, claimWorking, countEpisodic, countWorking } from './promoting/queries.ts'
export { type Promoted, promoteDue, weigh, weighRecords } from './promoting/service.ts'
export {
  type Findings,
  findRecords,
  insertHandles,
  type KnownRecord,
  type Sought,
  seekHandles,
  selectStored,
  type WantedHandle,
} from './queries.ts'
export { recordsRoutes } from './routes.ts'
export type { StoredRecord } from './rows.ts'
export {
  MemoryRecord,
  NewRecord,
  Provenance,
  RecordPage,
  RedactedRecord,
  SeenRecord,
  WrittenRecord,
} from './schemas.ts'
export { findLoggedAccesses, rescore, scoringAt, uses } from './scoring/queries.ts'
export { rescoreRecord } from './scoring/service.ts'
export { createRecordsService, type RecordsService } from './service.ts'
export { shareTombstones } from './tombstones/queries.ts'
export { tombstonesRoutes } from './tombstones/routes.ts'
export { createSeal } from './tombstones/seal.ts'
export {
  createTombstonesService,
  erasedContent,
  findErasedContents,
  refuseErasedContent,
} from './tombstones/service.ts'
