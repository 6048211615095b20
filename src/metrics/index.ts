export { scrapeRoutes, summaryRoutes } from './routes.ts'
export { createStoreReading } from './store/service.ts'
export { createSummaryService } from './summary/service.ts'
