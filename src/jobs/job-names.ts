/** Ids only: a queue is no place for memories, and what they say may have changed before the job runs. */
type Payload = Readonly<Record<string, string>>
type Checked<Jobs extends Record<string, Payload>> = Jobs
type NoPayload = Readonly<Record<string, never>>

/** Everything that runs in the background. A name without a handler does not compile. */
export type Jobs = Checked<{
  /** Keeps the stored salience near the exact one and forgets what has faded away. */
  decay: NoPayload
  /** Makes facts, skills and plans of what was experienced. */
  consolidate: NoPayload
  /** Keeps what memories are worth in order: what is to rise rises, what is of no more use is put away. */
  dream: NoPayload
  /** Keeps the vectors of what is fading in fewer bits. */
  compress: NoPayload
  /** Keeps the stored importance near the exact one. */
  refresh_importance: NoPayload
  /** Gives a vector to what was written since it had one. */
  embed: NoPayload
  /** Deletes what has expired. */
  purge: NoPayload
}>

export type JobName = keyof Jobs

/** The same names at run time, which the compiler holds complete. */
const listed: { readonly [Name in JobName]: true } = {
  ...{ decay: true, consolidate: true, dream: true, compress: true, embed: true, purge: true },
  ...{ refresh_importance: true },
}
export const jobNames = Object.keys(listed) as JobName[]

/** What a run did, in numbers: it is logged and kept in the queue, where no content may go. */
export type JobReport = Readonly<Record<string, number>>

/**
 * Any job may run twice, late, or beside itself: the database decides what is due. The signal asks it to end
 * after the batch at hand and report what it has done; the rest is the next run's.
 */
export type JobHandler<Name extends JobName> = (
  payload: Jobs[Name],
  signal: AbortSignal,
) => Promise<JobReport>

export type JobHandlers = { readonly [Name in JobName]: JobHandler<Name> }
