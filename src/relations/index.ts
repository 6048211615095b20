/**
 * Edges between records: add, remove and list them.
 * `upsertEdges` is the one statement that writes edges of an existing record.
 * Not here: predicates and their inverses (domain/), edges written with a new record (records/).
 */

export { presentEdge } from './presented-edge.ts'
export { upsertEdges } from './relations.queries.ts'
export { relationsRoutes } from './relations.routes.ts'
export { RelationEdge } from './relations.schemas.ts'
export { createRelationsService } from './relations.service.ts'
