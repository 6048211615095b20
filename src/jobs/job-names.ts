/** Every job that runs in the background. `JobWorks` holds the work of each: a name without work does not compile. */
export const jobNames = [
  'decay',
  'consolidate',
  'dream',
  'compress',
  'embed',
  'purge',
  'refresh_importance',
] as const

export type JobName = (typeof jobNames)[number]
