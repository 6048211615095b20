export { retrievalRoutes } from './routes.ts'
export { createRetrievalService } from './service.ts'
export { createTextChannel } from './text/service.ts'
