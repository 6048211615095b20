export { recordsRoutes } from './routes.ts'
export { WrittenRecord } from './schemas.ts'
export {
  answerWritten,
  claimRecord,
  createRecordsService,
  findOpenRecord,
  findSeenRecord,
  type RecordsService,
  writeChange,
} from './service.ts'
