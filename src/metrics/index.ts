export { scrapeRoutes, summaryRoutes } from './metrics.routes.ts'
export { createStoreMetrics as createStoreReading } from './store.service.ts'
export { createSummaryService } from './summary.service.ts'
