import type { ControlledTransaction } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { isOutage, isRetryable, isStatementTimeout } from '../../db/failures.ts'
import { saveEffects, stopSavingEffects } from '../../db/run-effects.ts'
import { createSavepoint, releaseSavepoint, rollbackToSavepoint } from '../../db/savepoint.ts'
import type { DB } from '../../db/schema.ts'
import { createDelegatingDatabase } from '../../db/statements/delegating-database.ts'
import type { Transaction } from '../../db/transaction.ts'
import { insertLogs, listBatches, listEffects, replay } from '../../effects/index.ts'
import type { BatchResult, Run } from '../../jobs/runs/runs.ts'
import { lockTombstonesShared } from '../../records/index.ts'
import { insertChanges } from './batches.queries.ts'
import type { Batches, Work } from './batches.ts'
import { countEffects } from './dry-run-effects.queries.ts'
import type { DryBatch, FencedWrites } from './fenced-writes.service.ts'
import { readDryBatch } from './planned-batches.service.ts'

/** Writers wait for the records that a dry run has locked, so none stays open for longer than about this. */
const longestMs = 2_000
/** A model may be asked meanwhile. */
const longestIdleMs = 100
/** More is not written again for each transaction: a longer dry run sees only what its current transaction wrote. */
const maxReplayed = 20_000
const attempts = 4
const savepoint = 'dry_run_batch'

type Resources = {
  db: Database
  run: Run
  /** Whether a transaction begins by writing again what the ones before have written. */
  repeats: boolean
  writes: FencedWrites
}

type Session = {
  tx: ControlledTransaction<DB>
  openedMs: number
  batches: DryBatch[]
  /** Whether the rows that a batch writes are kept after it: for a plan all, otherwise what can be written again. */
  isKept: boolean
}

/**
 * A dry run whose batches see those before them. They share a transaction that is rolled back; when it has lasted long
 * enough, the next one begins by writing again what is kept so far.
 */
export function createJoinedDryRun({ db, run, repeats, writes }: Resources): Batches {
  let session: Session | undefined
  let fault: { error: unknown } | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** The next call throws it. */
  function noteFault(error: unknown): void {
    fault = { error }
  }

  /** One after the other: they share a connection. */
  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(async () => {
      clearTimeout(idle)
      if (fault) throw fault.error
      return work()
    })
    last = result.catch(() => {})
    return result
  }

  async function open(): Promise<Session> {
    if (session) return session
    const tx = await db.startTransaction().execute()
    session = { tx, openedMs: performance.now(), batches: [], isKept: run.savesEffects === true }
    // Before any batch locks records, because a later one may need it.
    await lockTombstonesShared(tx)
    if (repeats && (await countEffects(tx, run.id, maxReplayed + 1)) <= maxReplayed) {
      await repeatKept(tx, run.id)
      session.isKept = true
    }
    return session
  }

  /** Rolls back what the batches wrote, and then stores it. */
  async function close(): Promise<void> {
    const closed = session
    session = undefined
    if (!closed) return
    await closed.tx.rollback().execute()
    for (const batch of closed.batches) await writes.storeDryBatch(batch)
  }

  async function closeWhenLong(): Promise<void> {
    if (session && performance.now() - session.openedMs > longestMs) return close()
    idle = setTimeout(() => void enqueue(close).catch(noteFault), longestIdleMs)
  }

  function perform<T extends BatchResult>(work: Work<T>): Promise<T> {
    return enqueue(async () => {
      const { tx, batches, isKept } = await open()
      const { result, effects } = await runWithRetries(tx, isKept, work)
      batches.push({ result, effects })
      await closeWhenLong()
      return result
    })
  }

  async function runBatch<T extends BatchResult>(tx: Transaction, isKept: boolean, work: Work<T>) {
    await writes.requireFence(tx)
    if (isKept || !repeats) await saveEffects(tx, run)
    const result = await work(tx)
    const effects = isKept ? await readDryBatch(tx, run.id) : undefined
    await stopSavingEffects(tx)
    // The next batches may look for what the run lists.
    await insertChanges(tx, run.id, result.changes ?? [])
    return { result, effects }
  }

  async function runWithRetries<T extends BatchResult>(tx: Transaction, isKept: boolean, work: Work<T>) {
    for (let attempt = 1; ; attempt += 1) {
      await createSavepoint(tx, savepoint)
      try {
        const batch = await runBatch(tx, isKept, work)
        await releaseSavepoint(tx, savepoint)
        return batch
      } catch (error) {
        if (isOutage(error) && !isStatementTimeout(error) && !isRetryable(error)) throw error
        await rollbackToSavepoint(tx, savepoint)
        if (attempt === attempts || !isRetryable(error)) throw error
      }
    }
  }

  /** A statement that fails ends the transaction; the batches before it are not lost. */
  const joinedDb = createDelegatingDatabase((query) =>
    enqueue(async () => {
      const { tx } = await open()
      try {
        const result = await tx.executeQuery(query)
        await closeWhenLong()
        return result
      } catch (error) {
        await close()
        throw error
      }
    }),
  )

  /** Waits for what is under way, and ends without storing anything. */
  async function release(): Promise<void> {
    await last
    clearTimeout(idle)
    const abandoned = session
    session = undefined
    if (abandoned)
      await abandoned.tx
        .rollback()
        .execute()
        .catch(() => {})
  }

  return { db: joinedDb, perform, finish: () => enqueue(close), release }
}

async function repeatKept(tx: Transaction, runId: string): Promise<void> {
  for (const batch of await listBatches(tx, runId)) {
    const effects = await listEffects(tx, runId, batch)
    const { blocked } = await replay(tx, effects, { direction: 'forward' })
    await insertLogs(
      tx,
      effects.filter(({ owner }) => owner !== null && !blocked.has(owner)),
    )
  }
}
