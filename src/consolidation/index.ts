export { createConsolidation } from './consolidation.job.ts'
export { ConsolidationOptions } from './consolidation.schemas.ts'
