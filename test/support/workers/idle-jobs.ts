import { type JobName, jobNames } from '../../../src/jobs/job-names.ts'
import type { JobWork } from '../../../src/jobs/runs/runs.ts'

const idle: JobWork = { run: async () => {} }

/** A work that does nothing for every job; a test replaces those that it is about. */
export const idleWorks = Object.fromEntries(jobNames.map((name) => [name, idle])) as Record<JobName, JobWork>
/** No schedule for any job. */
export const noIntervals = Object.fromEntries(jobNames.map((name) => [name, 0])) as Record<JobName, number>
