export { upsertEdges } from './relations.queries.ts'
export { relationsRoutes } from './relations.routes.ts'
export { RelationEdge } from './relations.schemas.ts'
export { createRelationsService } from './relations.service.ts'
