/**
 * The changes of a stored record over time: decay, reinforcement, importance, promotion, forgetting and its history.
 * The formulas are pure and in domain/ (curves, importance, retention); the SQL here is built from the same constants.
 * Not here: creating and changing records (records/), revisions of facts (revision/), archival by the dream (dream/).
 */
export { accessRoutes } from './access.routes.ts'
export { createAccessService } from './access.service.ts'
export { claimFoldable } from './access-folding.queries.ts'
export { foldAccesses, foldedRecords } from './access-folding.service.ts'
export { createSweep } from './decay-sweep.job.ts'
export { explainRoutes } from './explain.routes.ts'
export { createExplainService } from './explain.service.ts'
export { findRemovalRule } from './explanation.ts'
export { forgettingRoutes } from './forgetting.routes.ts'
export { createForgettingService } from './forgetting.service.ts'
export { historyRoutes } from './history.routes.ts'
export { createHistoryService } from './history.service.ts'
export { computeImportance, rescore, weightedUses } from './importance.queries.ts'
export { createRefresh, type Refresh } from './importance-refresh.job.ts'
export { layerRoutes } from './layer.routes.ts'
export { createLayerService } from './layer.service.ts'
export { createPromotion } from './promotion.job.ts'
export {
  promoteDue,
  rescoreAndPromote,
  rescoreAndPromoteIfNeeded,
  rescoreAndPromoteRecord,
} from './promotion.service.ts'
export { reinforcementRoutes } from './reinforcement.routes.ts'
export { createReinforcementService } from './reinforcement.service.ts'
export { computeRetentionAt, type RetentionSettings } from './retention.queries.ts'
export { statusRoutes } from './status.routes.ts'
export { createStatusService } from './status.service.ts'
export { findMessagesBefore } from './worth.queries.ts'
export { worthModelRoutes } from './worth-models.routes.ts'
