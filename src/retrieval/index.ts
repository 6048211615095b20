export { findByText } from './candidates/queries.ts'
export { retrievalRoutes } from './routes.ts'
export { createRetrievalService } from './service.ts'
