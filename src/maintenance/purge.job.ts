import type { Database } from '../db/connection.ts'
import { stopSavingEffects } from '../db/run-effects.ts'
import type { Change, JobWork, RunContext } from '../jobs/runs.ts'
import { walkIds } from '../jobs/table-walk.ts'

/** Deletes rows that expired before `now`, at most `limit`, and returns how many. */
type DeleteExpired = (db: Database, now: Date, limit: number) => Promise<number>

/** Each key is the name under which the run counts the rows. The room that stores the rows provides the function. */
type Resources = {
  expired: Readonly<Record<string, DeleteExpired>>
  /** Drops what is old of the histories, before the runs that they belong to. */
  keepHistories?: (context: RunContext) => Promise<void>
  /** The records that a plan lists: the next ones after an id. */
  listPurgeable?: (db: Database, due: { now: Date; after: string; limit: number }) => Promise<Purgeable[]>
}

type Purgeable = { id: string; reason: string; forgotten_at: Date }

/** Small enough that a worker which must stop is near the end of its batch. */
const batchSize = 1_000

/** The job `purge`. Each batch is a transaction of its own and skips rows that another worker has locked. */
export function createPurge({ expired, keepHistories, listPurgeable }: Resources): JobWork {
  return {
    run: async (context) => {
      const { run, inBatch } = context
      if (run.dryRun && run.savesEffects && listPurgeable) return listAll(context, listPurgeable)
      if (!run.dryRun) await keepHistories?.(context)

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

/** A plan lists each record. What is deleted beside records holds no memory, and is left to the next run. */
function listAll({ run, inBatch }: RunContext, list: NonNullable<Resources['listPurgeable']>): Promise<void> {
  return walkIds((after) =>
    inBatch(async (tx) => {
      await stopSavingEffects(tx)
      const due = await list(tx, { now: run.startedAt, after, limit: batchSize })
      const changes = due.map(({ id, ...before }): Change => ({ record_id: id, action: 'purge', before }))
      const last = due.length < batchSize ? undefined : due.at(-1)?.id
      return { done: due.length, counts: { records: due.length }, changes, last }
    }),
  )
}
