export { recordsRoutes } from './routes.ts'
export type { StoredRecord } from './rows.ts'
export { WrittenRecord } from './schemas.ts'
export {
  answerWritten,
  claimRecord,
  claimRecords,
  createRecordsService,
  findOpenRecord,
  writeChange,
} from './service.ts'
