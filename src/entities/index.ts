/**
 * Entities: look up by name, list the records about one, merge duplicates.
 * Other rooms lock an entity that they link to with `lockActiveEntities`.
 * Not here: finding the entities of a captured event (capture/) and profiles (dream/).
 */

export { lockActiveEntities } from './entities.queries.ts'
export { entitiesRoutes } from './entities.routes.ts'
export { createEntitiesService } from './entities.service.ts'
export { createEntityMergingService } from './entity-merge.service.ts'
