import type { Database } from '../../db/connection.ts'
import { saveEffects } from '../../db/run-effects.ts'
import { type Transaction, transact } from '../../db/transaction.ts'
import type { JobName } from '../../jobs/job-names.ts'
import { type BatchResult, type Run, type RunContext, RunEnded } from '../../jobs/runs.ts'
import { isBatchFailure } from '../../jobs/table-walk.ts'
import type { Clock } from '../../kernel/clock.ts'
import { describeFailure } from '../../kernel/log.ts'
import { addProgress, insertChanges, lockFence, setRunError, setRunTotal } from './batches.queries.ts'
import { deleteDryRunRows, insertEffects, resetRun } from './dry-run-effects.queries.ts'
import { createJoinedDryRun, type DryBatch } from './joined-dry-run.service.ts'
import { keepPlanned, readDryBatch } from './planned-batches.service.ts'

/** A run, and the lease of its job under which this worker does it. */
export type LeasedRun = {
  job: JobName
  fence: number
  run: Run
  /** Whether another worker, or this one, has begun the run before. */
  isResumed?: boolean
}

export type Step = 'claiming' | 'before batch' | 'in batch' | 'after batch' | 'concluding' | 'concluded'
export type Observe = (step: Step) => void | Promise<void>

type Resources = {
  db: Database
  clock: Clock
  observe: Observe
  leased: LeasedRun
  signal: AbortSignal
  /** Whether a dry run joins its batches. */
  joinsBatches?: boolean
}

/** Rolls back the transaction of a dry run. */
class DryRunRollback extends Error {}

/** What the work of a run gets, and how it begins and ends. */
export type Execution = {
  context: RunContext
  /** Removes what a lost worker kept of a dry run: it begins again, because its batches left no trace. */
  begin(isResumed: boolean): Promise<void>
  /** Stores what is still to be stored when the work has ended well. */
  finish(): Promise<void>
  /** Lets go of what is held when the work has ended in any way. */
  release(): Promise<void>
}

/** The batches of a run are transactions under the fence of its lease. */
export function createExecution({ db, observe, leased, signal, joinsBatches = false }: Resources): Execution {
  const { run } = leased
  const isJoined = run.dryRun && joinsBatches
  const joinedDryRun = isJoined
    ? createJoinedDryRun({
        db,
        run,
        lock: requireFence,
        store: storeDryBatch,
        // An undo reads what it wrote in the batches before.
        repeats: leased.job !== 'undo',
      })
    : undefined

  async function requireFence(tx: Transaction): Promise<void> {
    const found = await lockFence(tx, { job: leased.job, fence: leased.fence, runId: run.id })
    if (!found) throw new RunEnded('lease lost')
    if (found.cancel_requested) throw new RunEnded('cancelled')
  }

  /** Every write checks the fence, so a worker that was paused until it lost its lease writes nothing more. */
  function runUnderFence<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return transact(db, {}, async (tx) => {
      await requireFence(tx)
      return work(tx)
    })
  }

  async function inBatch<T extends BatchResult>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    await observe('before batch')
    if (signal.aborted) throw new RunEnded('stopped')
    const result = await perform(work)
    await observe('after batch')
    return result
  }

  async function performBatch<T extends BatchResult>(tx: Transaction, work: (tx: Transaction) => Promise<T>) {
    if (run.savesEffects) await saveEffects(tx, run)
    const result = await work(tx)
    await observe('in batch')
    await saveProgress(tx, result)
    return result
  }

  function perform<T extends BatchResult>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (joinedDryRun) return joinedDryRun.inBatch(work)
    return run.dryRun ? performDryRun(work) : runUnderFence((tx) => performBatch(tx, work))
  }

  async function performDryRun<T extends BatchResult>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let batch: (DryBatch & { result: T }) | undefined
    await runUnderFence(async (tx) => {
      if (run.savesEffects) await saveEffects(tx, run)
      const result = await work(tx)
      batch = { result, effects: run.savesEffects ? await readDryBatch(tx, run.id) : undefined }
      throw new DryRunRollback()
    }).catch((error) => {
      if (!(error instanceof DryRunRollback)) throw error
    })
    if (batch === undefined) throw new TypeError('a dry run without a result')
    await storeDryBatch(batch)
    return batch.result
  }

  async function storeDryBatch({ result, effects }: DryBatch): Promise<void> {
    await runUnderFence(async (tx) => {
      const { changes = [], ...progress } = result
      await saveProgress(tx, run.savesEffects ? progress : result)
      if (run.savesEffects) await keepPlanned(tx, run.id, changes, effects)
      else if (effects !== undefined) await insertEffects(tx, run.id, effects)
    })
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
    if (!isBatchFailure(error)) throw error
    const note = [describeFailure(error), ...(attempt === undefined ? [] : [attempt])].join('; ')
    await runUnderFence(async (tx) => {
      const changes = recordId === undefined ? [] : [{ record_id: recordId, action: 'failed', note }]
      await saveProgress(tx, { counts: { failed: 1 }, changes })
      await setRunError(tx, run.id, `${part}: ${note}`)
    })
  }

  const setTotal: RunContext['setTotal'] = (total, counted = []) =>
    runUnderFence((tx) => setRunTotal(tx, { id: run.id, total, counted }))

  async function throwIfEnded(): Promise<void> {
    if (signal.aborted) throw new RunEnded('stopped')
    await runUnderFence(async () => {})
  }

  async function begin(isResumed: boolean): Promise<void> {
    if (!isResumed || !run.dryRun) return
    while ((await runUnderFence((tx) => deleteDryRunRows(tx, run.id, deletedAtOnce))) > 0) {}
    await runUnderFence((tx) => resetRun(tx, run.id))
  }

  return {
    context: { run, db: joinedDryRun?.db ?? db, inBatch, throwIfEnded, recordFault, setTotal },
    begin,
    finish: async () => joinedDryRun?.finish(),
    release: async () => joinedDryRun?.abandon(),
  }
}

const deletedAtOnce = 20_000
