import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Report } from '../../kernel/log.ts'
import { lockReadableRecord } from '../../records/index.ts'
import { rescoreAndPromote } from '../promotion/promotion.service.ts'
import { type Access, logAccesses } from './access.queries.ts'
import type { AccessReceipt } from './access.schemas.ts'
import { createBacklog } from './access-backlog.ts'

/** The reader of records: the key, and the actor that it names. */
type Reader = { key_id: string; actor: string }

type Resources = { db: Database; clock: Clock; capacity?: number }

export type AccessService = ReturnType<typeof createAccessService>

/** About ten megabytes of accesses: an outage of the database must not fill this process. */
const defaultCapacity = 50_000
/** One statement holds the locks of all its records until it ends. */
const batchSize = 2_000
/**
 * Answers often return the same records, which one statement then counts together. Writing after each answer slowed
 * the next one down by a quarter; writing four times a second slowed every fifth. A killed process loses one second
 * of accesses.
 */
const batchDelayMs = 1_000

export function createAccessService({ db, clock, capacity = defaultCapacity }: Resources) {
  const backlog = createBacklog<Access>(capacity)
  let writing: Promise<void> | undefined
  let batchDelay = new AbortController()

  /**
   * Called after the response is sent, so that no reader waits for a write. Accesses of many responses are written
   * together over one connection, so that a slow database does not receive more writes.
   */
  function noteServed(ids: readonly string[], reader: Reader, report: Report): void {
    if (ids.length === 0) return
    const at = clock.now()
    backlog.add(ids.map((id) => ({ record_id: id, at, kind: 'served', ...reader })))
    writing ??= write(report).finally(() => {
      writing = undefined
    })
  }

  async function write(report: Report): Promise<void> {
    do {
      await awaitBatch()
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

  async function awaitBatch(): Promise<void> {
    if (backlog.size < batchSize)
      await sleep(batchDelayMs, undefined, { signal: batchDelay.signal }).catch(() => {})
  }

  /** Records that an agent used a record. */
  async function noteUse(call: CallContext, id: string, actor: string | undefined): Promise<AccessReceipt> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const stored = await lockReadableRecord(tx, call.caller, id, now)
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
    /** Writes what is waiting. Call it before the connections are closed. */
    async flush(): Promise<void> {
      batchDelay.abort()
      await writing
      batchDelay = new AbortController()
    },
  }
}

/** Importance and layer follow an access at once, and do not wait for the next job. */
async function note(tx: Transaction, accesses: readonly Access[], now: Date): Promise<void> {
  const ids = await logAccesses(tx, accesses)
  if (ids.length > 0) await rescoreAndPromote(tx, { ids, now })
}
