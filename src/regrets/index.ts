/**
 * Judges what was forgotten: some questions are asked again over the forgotten records too, and a forgotten record that
 * would have been among the first ten is a regret. Questions are never stored.
 * Not here: the search itself (retrieval/), restoring a record (lifecycle/).
 */
export { createRegretSampling } from './regret-sampling.service.ts'
export { deleteOldRegrets, measureRegret, type RegretGroup } from './regrets.queries.ts'
export { regretsRoutes } from './regrets.routes.ts'
export { createRegretsService } from './regrets.service.ts'
