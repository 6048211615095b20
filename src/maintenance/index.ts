// Runs of jobs: requests, schedules, progress and changes over HTTP, and below them leases, fences and batches.
// The queue is in jobs/; what a job does to records is in the room of those records.
// A run is a row in PostgreSQL. The queue only says that it is due.
export { startDueJobsPoll } from './due-jobs-poll.job.ts'
export { maintenanceRoutes } from './maintenance.routes.ts'
export { createMaintenanceService } from './maintenance.service.ts'
export { createPurge } from './purge.job.ts'
export { deleteOldRuns } from './running/leases.queries.ts'
export { createRunner } from './running/runner.service.ts'
