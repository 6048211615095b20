import type { JobName } from '../job-names.ts'

/**
 * A message about a job: why it was sent, and the run it is about once that is known. Ids only,
 * because the queue is no place for memory content, and because the run's row may change before the message arrives.
 */
export type JobMessage = {
  /**
   * `request`: a client requested a run. `tick`: a schedule is due. `follow_up`: a run ended and more is due. `writes`: a
   * tenant has new records.
   */
  reason: 'request' | 'tick' | 'follow_up' | 'writes'
  run_id?: string
  /** The reference of the tenant; absent for what belongs to none. */
  tenant?: string
}

/** The result of a message, in numbers: it is logged and kept in the queue, where no content may go. */
export type JobReport = Readonly<Record<string, number>>

/**
 * Does what is due of a job. A message may arrive twice, late, or at two workers at once, so the handler asks the
 * database what is due. `showRun` writes the id of the run that it works on into the message, for the board.
 * The signal asks it to stop after the current batch.
 */
export type JobHandler = (
  job: JobName,
  signal: AbortSignal,
  showRun: (runId: string) => void,
  message?: JobMessage,
) => Promise<JobReport>
