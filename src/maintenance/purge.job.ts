import type { Database } from '../db/connection.ts'
import type { JobWork } from '../jobs/runs.ts'

/** Deletes rows that expired before `now`, at most `limit`, and returns how many. */
type DeleteExpired = (db: Database, now: Date, limit: number) => Promise<number>

/** Each key is the name under which the run counts the rows. The room that stores the rows provides the function. */
type Resources = { expired: Readonly<Record<string, DeleteExpired>> }

/** Small enough that a worker which must stop is near the end of its batch. */
const batchSize = 1_000

/** The job `purge`. Each batch is a transaction of its own and skips rows that another worker has locked. */
export function createPurge({ expired }: Resources): JobWork {
  return {
    run: async ({ run, inBatch }) => {
      for (const [name, deleteExpired] of Object.entries(expired)) {
        let deleted: number
        do {
          const batch = await inBatch(async (tx) => {
            const done = await deleteExpired(tx, run.startedAt, batchSize)
            return { done, counts: { [name]: done } }
          })
          // A dry run rolls each batch back, so a second batch would count the same rows again.
          deleted = run.dryRun ? 0 : batch.done
        } while (deleted === batchSize)
      }
    },
  }
}
