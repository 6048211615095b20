/**
 * Dream: the nightly job over the whole store. `steps.ts` lists its steps in their order.
 * - `clustering/` merges similar records into a summary.
 * - `profiles/` writes a text about each entity that many facts mention.
 * - `synthesis/` connects entities that are similar.
 * - `probing/` asks a model whether old beliefs still hold.
 * - `drift/` checks the files that records name.
 * The steps that promote and archive, and that fold the access log, have one file each beside the folders.
 * Not here: learning from new episodes (consolidation/), and scores and deadlines (lifecycle/).
 */

export { createDream } from './dream.job.ts'
export { DreamOptions } from './dream.schemas.ts'
export { driftRoutes } from './drift/drift.routes.ts'
export { createDriftService } from './drift/drift.service.ts'
export { deleteOldVerdicts } from './verdicts.queries.ts'
