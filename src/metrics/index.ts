/**
 * Series for Prometheus about the whole store, and the summary for users (`GET /v1/metrics`).
 * Both are computed from the database when they are read, and cached for some seconds.
 * Not here: counters of this process, which are in src/telemetry/.
 */
export { type ScrapeOptions, scrapeRoutes, summaryRoutes } from './metrics.routes.ts'
export { createStoreMetrics } from './store.service.ts'
export { createSummaryService } from './summary.service.ts'
