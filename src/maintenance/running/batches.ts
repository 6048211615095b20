import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { BatchResult } from '../../jobs/runs/runs.ts'

/** The work of one batch. */
export type Work<T> = (tx: Transaction) => Promise<T>

/** How the batches of a run are done: for good, or as a dry run of separate or of joined batches. */
export type Batches = {
  /** The reads of the run between its batches. */
  db: Database
  perform<T extends BatchResult>(work: Work<T>): Promise<T>
  /** Stores the remaining rows when the work has succeeded. */
  finish(): Promise<void>
  /** Releases everything that is held when the work has ended in any way. */
  release(): Promise<void>
}

/** For batches that hold nothing after their transaction. */
export const holdsNothing = { finish: async () => {}, release: async () => {} }
