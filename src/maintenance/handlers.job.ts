import type { Database } from '../db/connection.ts'
import type { JobHandlers } from '../jobs/job-names.ts'
import type { JobWork } from '../jobs/runs.ts'
import type { Runner } from './running/runner.service.ts'

/** Deletes what had expired by `now`, at most `limit` rows in one statement, and answers how many. */
type DeleteExpired = (db: Database, now: Date, limit: number) => Promise<number>

/** By the name under which the report counts it; whoever stores what expires says how it goes. */
type Resources = { expired: Readonly<Record<string, DeleteExpired>> }

/** Small enough that a worker which has to stop is never far from the end of its batch. */
const batchSize = 1_000

/** Each batch is a transaction of its own and passes over rows that another worker has in hand. */
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
          // A dry run takes each batch back, so the next would be the same: it tells of the first.
          deleted = run.dryRun ? 0 : batch.done
        } while (deleted === batchSize)
      }
    },
  }
}

/** What a message of the queue brings about: that somebody looks. */
export function createHandlers(runner: Runner): JobHandlers {
  return {
    decay: async (_payload, signal) => ({ runs: await runner.attend('decay', signal) }),
    consolidate: async (_payload, signal) => ({ runs: await runner.attend('consolidate', signal) }),
    dream: async (_payload, signal) => ({ runs: await runner.attend('dream', signal) }),
    compress: async (_payload, signal) => ({ runs: await runner.attend('compress', signal) }),
    refresh_importance: async (_payload, signal) => ({
      runs: await runner.attend('refresh_importance', signal),
    }),
    embed: async (_payload, signal) => ({ runs: await runner.attend('embed', signal) }),
    purge: async (_payload, signal) => ({ runs: await runner.attend('purge', signal) }),
  }
}
