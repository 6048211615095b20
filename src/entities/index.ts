export { createEntityMergingService } from './merging/service.ts'
export { keepEntities } from './queries.ts'
export { entitiesRoutes } from './routes.ts'
export { createEntitiesService } from './service.ts'
