import type { Database } from '../../db/connection.ts'
import { isOutage } from '../../db/failures.ts'
import { type Transaction, transact } from '../../db/transaction.ts'
import type { JobName } from '../../jobs/job-names.ts'
import { type BatchResult, type Run, type RunContext, RunEnded } from '../../jobs/runs.ts'
import type { Clock } from '../../kernel/clock.ts'
import { describeFailure } from '../../kernel/log.ts'
import { addProgress, insertChanges, lockFence, setRunError, setRunTotal } from './batches.queries.ts'

/** A run under the lease of its job. */
export type LeasedRun = { job: JobName; fence: number; run: Run }

export type Step = 'claiming' | 'before batch' | 'in batch' | 'after batch' | 'concluding' | 'concluded'
export type Observe = (step: Step) => void | Promise<void>

type Resources = { db: Database; clock: Clock; observe: Observe; leased: LeasedRun; signal: AbortSignal }

/** Undoes the transaction of a dry run and carries its outcome out of it. */
class DryRunRollback extends Error {
  readonly outcome: BatchResult

  constructor(outcome: BatchResult) {
    super('rolled back')
    this.outcome = outcome
  }
}

export function createRunContext({ db, observe, leased, signal }: Resources): RunContext {
  const { run } = leased

  /** Nothing is written but under the fence, so a worker that was paused meanwhile writes nothing more. */
  function underFence<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return transact(db, {}, async (tx) => {
      const found = await lockFence(tx, { job: leased.job, fence: leased.fence, runId: run.id })
      if (!found) throw new RunEnded('lease lost')
      if (found.cancel_requested) throw new RunEnded('cancelled')
      return work(tx)
    })
  }

  async function inBatch<T extends BatchResult>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    await observe('before batch')
    if (signal.aborted) throw new RunEnded('stopped')
    const outcome = run.dryRun ? await performDryRun(work) : await underFence((tx) => performBatch(tx, work))
    await observe('after batch')
    return outcome
  }

  async function performBatch<T extends BatchResult>(tx: Transaction, work: (tx: Transaction) => Promise<T>) {
    const outcome = await work(tx)
    await observe('in batch')
    await saveProgress(tx, outcome)
    return outcome
  }

  async function performDryRun<T extends BatchResult>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let outcome: T | undefined
    await underFence(async (tx) => {
      outcome = await work(tx)
      throw new DryRunRollback(outcome)
    }).catch((error) => {
      if (!(error instanceof DryRunRollback)) throw error
    })
    const outcomeOfDryRun = outcome
    if (outcomeOfDryRun === undefined) throw new TypeError('a rehearsal without an outcome')
    await underFence((tx) => saveProgress(tx, outcomeOfDryRun))
    return outcomeOfDryRun
  }

  async function saveProgress(
    tx: Transaction,
    { done = 0, counts = {}, changes = [] }: BatchResult,
  ): Promise<void> {
    if (changes.length > 0) await insertChanges(tx, run.id, changes)
    const counted = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
    if (done > 0 || Object.keys(counted).length > 0) {
      await addProgress(tx, { id: run.id, done, counts: counted })
    }
  }

  async function recordFault({ error, recordId, part, attempt }: Parameters<RunContext['recordFault']>[0]) {
    if (error instanceof RunEnded || isOutage(error)) throw error
    const note = [describeFailure(error), ...(attempt === undefined ? [] : [attempt])].join('; ')
    await underFence(async (tx) => {
      const changes = recordId === undefined ? [] : [{ record_id: recordId, action: 'failed', note }]
      await saveProgress(tx, { counts: { failed: 1 }, changes })
      await setRunError(tx, run.id, `${part}: ${note}`)
    })
  }

  const setTotal: RunContext['setTotal'] = (total, counted = []) =>
    underFence((tx) => setRunTotal(tx, { id: run.id, total, counted }))

  async function throwIfEnded(): Promise<void> {
    if (signal.aborted) throw new RunEnded('stopped')
    await underFence(async () => {})
  }

  return { run, inBatch, throwIfEnded, recordFault, setTotal }
}
