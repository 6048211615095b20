export { policiesRoutes } from './routes.ts'
export { createPoliciesService, type PoliciesService } from './service.ts'
