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

/** What these jobs do, for the descriptions of the API and of MCP. */
export const jobMeanings =
  '`decay` forgets what has faded or exceeds a budget, and promotes what is used. `consolidate` makes facts, skills and plans of episodes. `dream` merges, checks and tidies the store. `compress` shortens the vectors of fading records. `embed` computes missing vectors. `purge` deletes for good what was forgotten too long ago to be restored. `refresh_importance` computes importance again.'

export type JobName = (typeof jobNames)[number]
