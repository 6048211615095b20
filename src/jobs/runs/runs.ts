import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'

export type Run = {
  id: string
  dryRun: boolean
  /** Null for every record. */
  scope: string | null
  /** Options of the job. They were checked when the run was requested. */
  options: Readonly<Record<string, unknown>>
  /** When the run first started. It stays the same when another worker continues the run. */
  startedAt: Date
  /** Whether the rows that the run writes are kept, so that it can be applied or taken back. */
  savesEffects?: boolean
  /** The trace of the request, if it was part of one. */
  traceparent?: string | null
}

/**
 * The run for which a statement may itself keep the rows that it writes. The rows of a dry run are always kept by
 * triggers.
 */
export function findEffectsRunId({ id, dryRun, savesEffects }: Run): string | undefined {
  return savesEffects && !dryRun ? id : undefined
}

export type Change = {
  record_id: string
  action: string
  before?: object
  after?: object
  note?: string
  /** Only for a change that forgets a record: its version then. By it a plan tells whether the record has changed since. */
  version?: number
}

/** How many records a batch processed, its counts, and the changes that the run lists. */
export type BatchResult = {
  done?: number
  counts?: Readonly<Record<string, number>>
  changes?: readonly Change[]
}

/** The only way in which a run reads and writes the database. */
export type RunContext = {
  run: Run
  /**
   * For reading between batches: what the run sees. Where a dry run joins its batches, these are also the changes of the
   * batches before. A batch uses its own transaction.
   */
  db: Database
  /**
   * Runs `work` in one transaction that checks the lease and stores the progress: after a kill, both the work and its
   * progress are there, or neither. Throws `RunEnded` when the run must end. A dry run keeps only the result.
   */
  inBatch<T extends BatchResult>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * Stores how many records the run will process, and the names of its counts, so that a count of nothing shows as 0.
   */
  setTotal(total: number, counted?: readonly string[]): Promise<void>
  /** Throws `RunEnded` when the run must end. For use between the parts of one long batch. */
  throwIfEnded(): Promise<void>
  /** Records that a batch or one record failed, and the run continues. Throws the error if it is no failure of a batch. */
  recordFault(fault: {
    error: unknown
    recordId?: string | undefined
    part: string
    attempt?: string
  }): Promise<void>
}

export type JobWork = {
  /**
   * Whether a batch depends on what the batches before it wrote. Then a dry run joins its batches, so that it comes to the
   * same end as the run.
   */
  batchesDepend?(run: Run): boolean
  run(context: RunContext): Promise<void>
  /** Takes part in a run that another worker leads, until no part is left. */
  help?(context: RunContext): Promise<void>
}

/** Thrown where a run must not continue. It is not a failure of the run's work. */
export class RunEnded extends Error {
  readonly reason: 'lease lost' | 'cancelled' | 'stopped'

  constructor(reason: RunEnded['reason']) {
    super(`the run ended: ${reason}`)
    this.reason = reason
  }
}
