export type { DepartureRow } from './departures/queries.ts'
export { purgeForgotten } from './departures/queries.ts'
export { erasureRoutes } from './erasure/routes.ts'
export { createErasureService } from './erasure/service.ts'
export { forgettingRoutes } from './forgetting/routes.ts'
export { createForgettingService } from './forgetting/service.ts'
export { recordsRoutes } from './routes.ts'
export type { StoredRecord } from './rows.ts'
export { WrittenRecord } from './schemas.ts'
export {
  answerWritten,
  claimRecord,
  claimRecords,
  createRecordsService,
  findKnownRecord,
  findOpenRecord,
  writeChange,
} from './service.ts'
export { tombstonesRoutes } from './tombstones/routes.ts'
export { createSeal } from './tombstones/seal.ts'
export { createTombstonesService } from './tombstones/service.ts'
