/**
 * Runs of jobs. A run is a row in PostgreSQL; the queue only says that it is due.
 * - The files `maintenance.` have requests, progress and changes of runs over HTTP.
 * - `schedules/` has when jobs run by themselves.
 * - `running/` does a run: leases, fences and batches.
 * - The jobs `purge` and, within it, `histories.` delete what is kept too long.
 * Also the routes of undo and simulation, because their answer is a run, and those rooms are below this one.
 * Not here: the queue (jobs/), and what a job does to records (the room of those records).
 */
export { createDueJobs, startDueJobsPoll } from './due-jobs-poll.job.ts'
export { createHistoryKeeping } from './histories.service.ts'
export { maintenanceRoutes } from './maintenance.routes.ts'
export { JobOptions, MaintenanceRun } from './maintenance.schemas.ts'
export { createMaintenanceService, type MaintenanceService } from './maintenance.service.ts'
export { insertPlan } from './plan-rows.queries.ts'
export { createPurge } from './purge.job.ts'
export { answerQueued, type QueueingOptions } from './queued-run.routes.ts'
export { createRunEvents } from './run-events.service.ts'
export { deleteOldRuns } from './running/old-runs.queries.ts'
export { createRunner } from './running/runner.service.ts'
export { schedulesRoutes } from './schedules/schedules.routes.ts'
export { createSchedulesService } from './schedules/schedules.service.ts'
export { listSelectable } from './selectable-names.queries.ts'
export { simulationsRoutes } from './simulations.routes.ts'
export { undoRoutes } from './undo.routes.ts'
