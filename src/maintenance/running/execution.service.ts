import type { Database } from '../../db/connection.ts'
import { saveEffects } from '../../db/run-effects.ts'
import { isBatchFailure } from '../../jobs/runs/batch-failure.ts'
import { type RunContext, RunEnded } from '../../jobs/runs/runs.ts'
import { describeFailure } from '../../kernel/log.ts'
import { setRunError, setRunTotal } from './batches.queries.ts'
import { type Batches, holdsNothing } from './batches.ts'
import { deleteDryRunRows, resetRun } from './dry-run-effects.queries.ts'
import { createFencedWrites, type FencedWrites } from './fenced-writes.service.ts'
import { createJoinedDryRun } from './joined-dry-run.service.ts'
import type { LeasedRun } from './leased-run.ts'
import { createSeparateDryRun } from './separate-dry-run.service.ts'

export type Step = 'claiming' | 'before batch' | 'in batch' | 'after batch' | 'concluding' | 'concluded'
export type Observe = (step: Step) => void | Promise<void>

type Resources = {
  db: Database
  observe: Observe
  leased: LeasedRun
  signal: AbortSignal
  /** Whether a batch depends on what the batches before it wrote. */
  batchesDepend?: boolean
}

/** The context of the work of a run, and how it begins and ends. */
export type Execution = Pick<Batches, 'finish' | 'release'> & {
  context: RunContext
  /** Removes what a lost worker kept of a dry run: it begins again, because its batches left no trace. */
  begin(isResumed: boolean): Promise<void>
}

/** The batches of a run are transactions under the fence of its lease. */
export function createExecution({
  db,
  observe,
  leased,
  signal,
  batchesDepend = false,
}: Resources): Execution {
  const { run } = leased
  const writes = createFencedWrites(db, leased)
  const { transactUnderFence, saveProgress } = writes
  const batches = chooseBatches({ db, observe, leased, batchesDepend }, writes)

  const inBatch: RunContext['inBatch'] = async (work) => {
    await observe('before batch')
    if (signal.aborted) throw new RunEnded('stopped')
    const result = await batches.perform(work)
    await observe('after batch')
    return result
  }

  async function recordFault({ error, recordId, part, attempt }: Parameters<RunContext['recordFault']>[0]) {
    if (!isBatchFailure(error)) throw error
    const note = [describeFailure(error), ...(attempt === undefined ? [] : [attempt])].join('; ')
    await transactUnderFence(async (tx) => {
      const changes = recordId === undefined ? [] : [{ record_id: recordId, action: 'failed', note }]
      await saveProgress(tx, { counts: { failed: 1 }, changes })
      await setRunError(tx, run.id, `${part}: ${note}`)
    })
  }

  const setTotal: RunContext['setTotal'] = (total, counted = []) =>
    transactUnderFence((tx) => setRunTotal(tx, { id: run.id, total, counted }))

  async function throwIfEnded(): Promise<void> {
    if (signal.aborted) throw new RunEnded('stopped')
    await transactUnderFence(async () => {})
  }

  async function begin(isResumed: boolean): Promise<void> {
    if (!isResumed || !run.dryRun) return
    while ((await transactUnderFence((tx) => deleteDryRunRows(tx, run.id, deletedAtOnce))) > 0) {}
    await transactUnderFence((tx) => resetRun(tx, run.id))
  }

  return {
    context: { run, db: batches.db, inBatch, throwIfEnded, recordFault, setTotal },
    begin,
    finish: batches.finish,
    release: batches.release,
  }
}

const deletedAtOnce = 20_000

type BatchResources = Required<Omit<Resources, 'signal'>>

function chooseBatches(
  { db, observe, leased, batchesDepend }: BatchResources,
  writes: FencedWrites,
): Batches {
  const { job, run } = leased
  if (!run.dryRun) return createCommittedBatches({ db, observe, leased }, writes)
  if (!batchesDepend) return createSeparateDryRun(db, run, writes)
  // An undo looks up in its own effects what it has taken back, so they stay in the shared transaction.
  return createJoinedDryRun({ db, run, writes, repeats: job !== 'undo' })
}

function createCommittedBatches(
  { db, observe, leased: { run } }: Pick<Resources, 'db' | 'observe' | 'leased'>,
  { transactUnderFence, saveProgress }: FencedWrites,
): Batches {
  const perform: Batches['perform'] = (work) =>
    transactUnderFence(async (tx) => {
      if (run.savesEffects) await saveEffects(tx, run)
      const result = await work(tx)
      await observe('in batch')
      await saveProgress(tx, result)
      return result
    })
  return { db, perform, ...holdsNothing }
}
