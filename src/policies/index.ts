export { policiesRoutes } from './routes.ts'
export type { Policy } from './schemas.ts'
export { createPoliciesService, type PoliciesService } from './service.ts'
