export { driftRoutes } from './drift/reporting/routes.ts'
export { createDriftService } from './drift/reporting/service.ts'
export { DreamOptions } from './schemas.ts'
export { createDream } from './service.ts'
