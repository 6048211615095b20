export { recordsRoutes } from './routes.ts'
export { WrittenRecord } from './schemas.ts'
export {
  answerWritten,
  claimRecord,
  createRecordsService,
  findOpenRecord,
  writeChange,
} from './service.ts'
