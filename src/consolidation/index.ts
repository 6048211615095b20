export { ConsolidationOptions } from './schemas.ts'
export { createConsolidation } from './service.ts'
