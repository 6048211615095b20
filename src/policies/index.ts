/**
 * Lifecycle policies: the default decay and deletion policy of each record type, which apply when a record is created,
 * and budgets: how much a scope may hold.
 * Not here: decay, pruning and the forgetting for a budget (lifecycle/).
 */

export { policiesRoutes } from './policies.routes.ts'
export { PolicyChoice } from './policies.schemas.ts'
export { createPoliciesService, type PoliciesService } from './policies.service.ts'
