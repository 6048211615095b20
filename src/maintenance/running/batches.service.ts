import type { Database } from '../../db/connection.ts'
import { isOutage } from '../../db/failures.ts'
import { type Transaction, transact } from '../../db/transaction.ts'
import type { JobName } from '../../jobs/job-names.ts'
import { type BatchResult, type Run, type RunContext, RunEnded } from '../../jobs/runs.ts'
import type { Clock } from '../../kernel/clock.ts'
import { describeFailure } from '../../kernel/log.ts'
import { addProgress, insertChanges, lockFence, setRunError, setRunTotal } from './batches.queries.ts'

/** A run, and the lease of its job under which this worker does it. */
export type LeasedRun = { job: JobName; fence: number; run: Run }

export type Step = 'claiming' | 'before batch' | 'in batch' | 'after batch' | 'concluding' | 'concluded'
export type Observe = (step: Step) => void | Promise<void>

type Resources = { db: Database; clock: Clock; observe: Observe; leased: LeasedRun; signal: AbortSignal }

/** Rolls back the transaction of a dry run. */
class DryRunRollback extends Error {}

/** What the work of a run gets: its batches are transactions under the fence of its lease. */
export function createRunContext({ db, observe, leased, signal }: Resources): RunContext {
  const { run } = leased

  /** Every write checks the fence, so a worker that was paused until it lost its lease writes nothing more. */
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
    const result = run.dryRun ? await performDryRun(work) : await underFence((tx) => performBatch(tx, work))
    await observe('after batch')
    return result
  }

  async function performBatch<T extends BatchResult>(tx: Transaction, work: (tx: Transaction) => Promise<T>) {
    const result = await work(tx)
    await observe('in batch')
    await saveProgress(tx, result)
    return result
  }

  async function performDryRun<T extends BatchResult>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let result: T | undefined
    await underFence(async (tx) => {
      result = await work(tx)
      throw new DryRunRollback()
    }).catch((error) => {
      if (!(error instanceof DryRunRollback)) throw error
    })
    if (result === undefined) throw new TypeError('a dry run without a result')
    const progress: T = result
    await underFence((tx) => saveProgress(tx, progress))
    return progress
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
