/** Every job that runs in the background. `JobWorks` holds the work of each: a name without work does not compile. */
export const jobNames = [
  'decay',
  'consolidate',
  'dream',
  'compress',
  'embed',
  'purge',
  'refresh_importance',
  'simulation',
  'undo',
] as const

/** Jobs that run only when a client asks for one, through a route of its own. They have no schedule. */
const requestedJobs: ReadonlySet<string> = new Set(['simulation', 'undo'])

/** The jobs that a schedule or `POST /v1/maintenance/runs` starts. */
export const schedulableJobs = jobNames.filter((name) => !requestedJobs.has(name))

export type JobName = (typeof jobNames)[number]
