/**
 * The changes of a stored record over time. The formulas are pure and in domain/ (importance/, lifecycle/); the SQL here is
 * built from the same constants.
 * - `access/` counts uses and served answers, and folds old accesses into counts.
 * - `importance/` is importance and retention as SQL, their refresh, and the worth of records that were never judged.
 * - `promotion/` moves records between layers, by rule and on request.
 * - `decay/` is the job of that name: it refreshes stored salience, and forgets what has faded or exceeds a budget.
 * - `reinforcement/` is reinforce, penalize and pin, for one record or many.
 * - `status/` sets a status, `history/` lists the changes of status and importance.
 * - `forgetting/` forgets and restores on request.
 * - `explanation/` answers why a record has its numbers, and forecasts them.
 * Not here: creating and changing records (records/), revisions of facts (revision/), archival by the dream (dream/).
 */
export { accessRoutes } from './access/access.routes.ts'
export { createAccessService } from './access/access.service.ts'
export { claimFoldable } from './access/access-folding.queries.ts'
export { foldAccesses, foldedRecords } from './access/access-folding.service.ts'
export { createDecay } from './decay/decay.job.ts'
export { explainRoutes } from './explanation/explain.routes.ts'
export { createExplainService } from './explanation/explain.service.ts'
export { findRemovalRule } from './explanation/explanation.ts'
export { forgettingRoutes } from './forgetting/forgetting.routes.ts'
export { createForgettingService } from './forgetting/forgetting.service.ts'
export { historyRoutes } from './history/history.routes.ts'
export { createHistoryService } from './history/history.service.ts'
export { computeImportance, rescore, weightedUses } from './importance/importance.queries.ts'
export { createImportanceRefresh, type Refresh } from './importance/importance-refresh.job.ts'
export { computeRetentionAt, type RetentionSettings } from './importance/retention.queries.ts'
export { findMessagesBefore } from './importance/worth.queries.ts'
export { worthModelRoutes } from './importance/worth-models.routes.ts'
export { layerRoutes } from './promotion/layer.routes.ts'
export { createLayerService } from './promotion/layer.service.ts'
export { createPromotion } from './promotion/promotion.job.ts'
export {
  promoteDue,
  rescoreAndPromoteIfNeeded,
  rescoreAndPromoteRecord,
} from './promotion/promotion.service.ts'
export { reinforcementRoutes } from './reinforcement/reinforcement.routes.ts'
export { createReinforcementService } from './reinforcement/reinforcement.service.ts'
export { statusRoutes } from './status/status.routes.ts'
export { createStatusService } from './status/status.service.ts'
