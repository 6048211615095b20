export { policiesRoutes } from './policies.routes.ts'
export { createPoliciesService, type PoliciesService } from './policies.service.ts'
