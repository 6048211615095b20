/**
 * Plans: what a job would do, kept to be read, and applied as a whole or in part.
 * Here: requests, listings and the application of plans. Not here: the dry run that prepares one (maintenance), and how rows
 * are applied (effects).
 */
export { addPlanApplication } from './plan-application.job.ts'
export { deleteExpiredPlans } from './plan-applications.queries.ts'
export { plansRoutes } from './plans.routes.ts'
export { createPlansService } from './plans.service.ts'
