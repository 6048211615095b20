export { lockActiveEntities } from './entities.queries.ts'
export { entitiesRoutes } from './entities.routes.ts'
export { createEntitiesService } from './entities.service.ts'
export { createEntityMergingService } from './entity-merge.service.ts'
