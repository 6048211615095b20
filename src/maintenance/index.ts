// Runs of jobs: requests, schedules, progress and changes over HTTP, and below them leases, fences and batches.
// The queue is in jobs/; what a job does to records is in the room of those records.
// A run is a row in PostgreSQL. The queue only says that it is due.
import { simulationsRoutes } from './simulations.routes.ts'
import { undoRoutes } from './undo.routes.ts'

export { createDueJobs, startDueJobsPoll } from './due-jobs-poll.job.ts'
export { createHistoryKeeping } from './histories.service.ts'
export { maintenanceRoutes } from './maintenance.routes.ts'
export { JobOptions, MaintenanceRun } from './maintenance.schemas.ts'
export { createMaintenanceService, type MaintenanceService } from './maintenance.service.ts'
export { insertPlan } from './plan-rows.queries.ts'
export { createPurge } from './purge.job.ts'
export { deleteOldRuns } from './running/leases.queries.ts'
export { createRunner } from './running/runner.service.ts'
export { listSelectable } from './selectable-names.queries.ts'

/** The routes that request runs of jobs without a schedule. */
export const runRoutes = [simulationsRoutes, undoRoutes]
