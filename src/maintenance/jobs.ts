import type { Database } from '../db/connection.ts'
import type { JobHandler } from '../jobs/define.ts'
import type { Clock } from '../kernel/clock.ts'

/** Deletes what had expired by `now`, at most `limit` rows in one statement, and answers how many. */
type DeleteExpired = (db: Database, now: Date, limit: number) => Promise<number>

type Resources = {
  db: Database
  clock: Clock
  /** By the name under which the report counts it; whoever stores what expires says how it goes. */
  expired: Readonly<Record<string, DeleteExpired>>
}

/** Small enough that a worker which has to stop is never far from the end of its batch. */
const batchSize = 1_000

/** Each batch is a transaction of its own and passes over rows that another worker has in hand. */
export function createPurge({ db, clock, expired }: Resources): JobHandler<'purge'> {
  return async (_payload, signal) => {
    const now = clock.now()
    const report: Record<string, number> = {}
    for (const [name, deleteExpired] of Object.entries(expired)) {
      report[name] = await repeatUntilFewer(signal, () => deleteExpired(db, now, batchSize))
    }
    return report
  }
}

async function repeatUntilFewer(signal: AbortSignal, deleteBatch: () => Promise<number>): Promise<number> {
  let deleted = 0
  while (!signal.aborted) {
    const count = await deleteBatch()
    deleted += count
    if (count < batchSize) break
  }
  return deleted
}
