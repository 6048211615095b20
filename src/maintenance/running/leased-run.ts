import type { JobName } from '../../jobs/job-names.ts'
import type { Run } from '../../jobs/runs/runs.ts'

/** A run, and the lease of its job under which this worker does it. */
export type LeasedRun = {
  job: JobName
  fence: number
  run: Run
  /** Whether another worker, or this one, has begun the run before. */
  isResumed?: boolean
}
