/**
 * Lifecycle policies: the default decay and deletion policy of each record type.
 * They apply when a record is created; existing records keep their lifecycle.
 * Not here: decay and pruning (lifecycle/).
 */

export { policiesRoutes } from './policies.routes.ts'
export { createPoliciesService, type PoliciesService } from './policies.service.ts'
