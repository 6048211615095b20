export { keyRoutes } from './keys.routes.ts'
export { createKeysService } from './keys.service.ts'
