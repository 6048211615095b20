export { keyRoutes } from './routes.ts'
export { createKeysService } from './service.ts'
