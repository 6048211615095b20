export { upsertEdges } from './queries.ts'
export { relationsRoutes } from './routes.ts'
export { createRelationsService } from './service.ts'
