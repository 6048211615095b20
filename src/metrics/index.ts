export { scrapeRoutes, summaryRoutes } from './metrics.routes.ts'
export { createStoreReading } from './store.service.ts'
export { createSummaryService } from './summary.service.ts'
