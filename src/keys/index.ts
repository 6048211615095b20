export { keyRoutes } from './routes.ts'
export { createKeysService, type KeysService } from './service.ts'
