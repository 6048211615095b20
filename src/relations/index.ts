export { relationsRoutes } from './routes.ts'
export { createRelationsService } from './service.ts'
