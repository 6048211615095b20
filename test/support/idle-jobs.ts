import { type JobHandlers, type JobName, jobNames } from '../../src/jobs/job-names.ts'
import type { JobWork } from '../../src/jobs/runs.ts'

const idle: JobWork = { run: async () => {} }

/** Every job must have its work and its interval; a test names those that it is about. */
export const idleWorks = Object.fromEntries(jobNames.map((name) => [name, idle])) as Record<JobName, JobWork>
export const noIntervals = Object.fromEntries(jobNames.map((name) => [name, 0])) as Record<JobName, number>

export const idleHandlers = Object.fromEntries(
  jobNames.map((name) => [name, async () => ({})]),
) as unknown as JobHandlers
