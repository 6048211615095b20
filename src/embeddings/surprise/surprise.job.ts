import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import { transact } from '../../db/transaction.ts'
import type { Logger } from '../../kernel/log.ts'
import { hasUncompared } from './surprise-comparison.queries.ts'
import type { createSurpriseComparison } from './surprise-comparison.service.ts'

type Resources = {
  db: Database
  log: Logger
  surprising: ReturnType<typeof createSurpriseComparison>
  everyMs?: number
}

/** Compares new vectors soon after they are stored. It runs beside embedding, which does not wait for it. */
export function pollComparisons({ db, log, surprising, everyMs = 1_000 }: Resources) {
  const stopping = new AbortController()
  const { signal } = stopping

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await hasUncompared(db))
          await surprising.comparePending({ inBatch: (work) => transact(db, {}, work), scope: null, signal })
      } catch (error) {
        if (!signal.aborted) log.warn('the surprise queue could not be processed', { err: error })
      }
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }

  const watching = watch()
  return {
    stop: (): Promise<void> => {
      stopping.abort()
      return watching
    },
  }
}
