import type { Transaction } from '../db/transaction.ts'

/** What a run is asked to do. */
export type Run = {
  id: string
  dryRun: boolean
  /** Null for every record. */
  scope: string | null
  /** Of the job, and checked when the run was asked for. */
  options: Readonly<Record<string, unknown>>
  /** The instant the run is of, the same however often it is taken up again. */
  startedAt: Date
  /** Of who asked for it, when that was part of a trace. */
  traceparent?: string | null
}

export type Change = { record_id: string; action: string; before?: object; after?: object; note?: string }

/** What a batch did: how many records it went through, what it did to them, and which of that is worth listing. */
export type BatchResult = {
  done?: number
  counts?: Readonly<Record<string, number>>
  changes?: readonly Change[]
}

/** The only way in which a run touches the database. */
export type RunContext = {
  run: Run
  /**
   * One transaction, under the lease and with its progress: after a kill either both are there or neither. Throws
   * when the run is to end. Of a dry run only the outcome remains.
   */
  inBatch<T extends BatchResult>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * How many records there are to go through, once it is known; and what is counted, so that what was not done
   * shows as 0.
   */
  setTotal(total: number, counted?: readonly string[]): Promise<void>
  /** Throws when the run is to end: for between the parts of one long batch. */
  throwIfEnded(): Promise<void>
  /** A batch that failed, without stopping those after it: which, and the record when it was one. */
  recordFault(fault: { error: unknown; recordId?: string; part: string; attempt?: string }): Promise<void>
}

/** A job as the maintenance runs it. */
export type JobWork = {
  run(context: RunContext): Promise<void>
  /** Takes part in a run that another worker leads; returns when there is nothing left to share. */
  help?(context: RunContext): Promise<void>
}

/** Thrown where a run must not go on; none of them is a fault of its work. */
export class RunEnded extends Error {
  readonly reason: 'lease lost' | 'cancelled' | 'stopped'

  constructor(reason: RunEnded['reason']) {
    super(`the run ended: ${reason}`)
    this.reason = reason
  }
}
