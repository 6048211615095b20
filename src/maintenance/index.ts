// Runs of jobs: requests, schedules, progress and changes over HTTP; leases, fences and batches below them.
// The queue and its worker are in jobs/, and what a job does to records is in the room of those records.
// A run is a row in PostgreSQL. The queue only says that there is one.
export { startDueJobsPoll } from './due-jobs-poll.job.ts'
export { maintenanceRoutes } from './maintenance.routes.ts'
export { createMaintenanceService } from './maintenance.service.ts'
export { createPurge } from './purge.job.ts'
export { deleteOldRuns } from './running/leases.queries.ts'
export { createRunner } from './running/runner.service.ts'
