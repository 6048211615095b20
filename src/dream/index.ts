/**
 * Dream: the nightly job over the whole store. It archives, merges similar records, writes profiles and connections,
 * probes old beliefs, checks the files that records name, and folds the access log.
 * Not here: learning from new episodes (consolidation/), and scores and deadlines (lifecycle/).
 */

export { createDream } from './dream.job.ts'
export { DreamOptions } from './dream.schemas.ts'
export { driftRoutes } from './drift/drift.routes.ts'
export { createDriftService } from './drift/drift.service.ts'
export { deleteOldVerdicts } from './verdicts.queries.ts'
