export { selectStored } from './queries.ts'
export { recordsRoutes } from './routes.ts'
export type { StoredRecord } from './rows.ts'
export { MemoryRecord, Relation, WrittenRecord } from './schemas.ts'
export {
  answerWritten,
  claimRecord,
  createRecordsService,
  type RecordsService,
  requireOpen,
} from './service.ts'
