export { relationsRoutes } from './routes.ts'
export { createRelationsService, type RelationsService } from './service.ts'
