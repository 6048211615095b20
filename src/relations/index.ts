export { upsertEdges } from './queries.ts'
export { relationsRoutes } from './routes.ts'
export { RelationEdge } from './schemas.ts'
export { createRelationsService } from './service.ts'
