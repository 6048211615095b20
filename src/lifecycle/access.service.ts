import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import type { Clock } from '../kernel/clock.ts'
import { lockReadableRecord } from '../records/index.ts'
import { type Access, logAccesses } from './access.queries.ts'
import type { AccessReceipt } from './access.schemas.ts'
import { createBacklog } from './access-backlog.ts'
import { rescoreAndPromote } from './promotion.service.ts'

/** Receives what went wrong behind an answer that was given already. */
type Report = (message: string, error?: unknown) => void

type Resources = { db: Database; clock: Clock; capacity?: number }

export type AccessService = ReturnType<typeof createAccessService>

/** Some ten megabytes of accesses: a database that is away for a while must not fill this process. */
const defaultCapacity = 50_000
/** One statement holds the locks of all its records until it ends. */
const batchSize = 2_000
/**
 * What many answers show is the same again and again, and is then counted and weighed in one row: written at once,
 * each answer slowed the next one down by a quarter; four times a second, every fifth. A killed process loses a second.
 */
const gatherMs = 1_000

export function createAccessService({ db, clock, capacity = defaultCapacity }: Resources) {
  const backlog = createBacklog<Access>(capacity)
  let writing: Promise<void> | undefined
  let gathering = new AbortController()

  /**
   * Behind an answer, not before it: what is being read waits for no write. Those of many answers are written
   * together, over one connection, so that a slow database is not asked for more the slower it gets.
   */
  function noteServed(ids: readonly string[], actor: string, report: Report): void {
    const at = clock.now()
    backlog.add(ids.map((id) => ({ record_id: id, at, kind: 'served', actor })))
    writing ??= write(report).finally(() => {
      writing = undefined
    })
  }

  async function write(report: Report): Promise<void> {
    do {
      await gather()
      const batch = backlog.take(batchSize)
      try {
        await transact(db, {}, (tx) => note(tx, batch, clock.now()))
      } catch (error) {
        report(`${batch.length} accesses were not recorded`, error)
      }
      const dropped = backlog.takeDropped()
      if (dropped > 0) report(`${dropped} accesses were not recorded: too many were waiting`)
    } while (backlog.size > 0)
  }

  async function gather(): Promise<void> {
    if (backlog.size < batchSize)
      await sleep(gatherMs, undefined, { signal: gathering.signal }).catch(() => {})
  }

  /** An agent says that it made use of a record. */
  async function noteUse(call: CallContext, id: string, actor: string | undefined): Promise<AccessReceipt> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const stored = await lockReadableRecord(tx, call.caller, id)
      const access: Access = { record_id: stored.id, at: now, kind: 'used', actor: actor ?? call.caller.name }
      await note(tx, [access], now)
      const latest = Math.max(now.getTime(), stored.last_accessed_at?.getTime() ?? 0)
      return {
        id: stored.id,
        access_count: stored.access_count + 1,
        last_accessed_at: new Date(latest).toISOString(),
      }
    })
  }

  return {
    noteServed,
    noteUse,
    /** Resolves when nothing waits to be written, so that the connections may be closed. */
    async settle(): Promise<void> {
      gathering.abort()
      await writing
      gathering = new AbortController()
    },
  }
}

/** What a record is worth, and where it belongs, follows from its use at once, and not only when a job next comes by. */
async function note(tx: Transaction, accesses: readonly Access[], now: Date): Promise<void> {
  await logAccesses(tx, accesses)
  await rescoreAndPromote(tx, { ids: [...new Set(accesses.map(({ record_id: id }) => id))], now })
}
