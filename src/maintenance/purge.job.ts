import { stopSavingEffects } from '../db/run-effects.ts'
import type { Transaction } from '../db/transaction.ts'
import { drainInBatches, walkIds } from '../jobs/runs/batch-walk.ts'
import type { Change, JobWork, RunContext } from '../jobs/runs/runs.ts'
import { findNextPurgeable, listPurgeable, purgeForgotten } from '../records/index.ts'

/** Deletes rows that expired before `now`, at most `limit`, and returns how many. */
type DeleteExpired = (tx: Transaction, now: Date, limit: number) => Promise<number>

type Resources = {
  /** Each key is the name under which the run counts the rows. The room that stores the rows provides the function. */
  expired: Readonly<Record<string, DeleteExpired>>
  /** Drops the old months of the histories, before the runs that they belong to. */
  keepHistories: (context: RunContext) => Promise<void>
}

/** Small enough that a worker which must stop is near the end of its batch. */
const batchSize = 1_000

/** The job `purge`. Each batch is a transaction of its own and skips rows that another worker has locked. */
export function createPurge({ expired, keepHistories }: Resources): JobWork {
  /** A record that fails must not keep the purge from the others. */
  async function purgeRecords(context: RunContext): Promise<void> {
    const now = context.run.startedAt
    const failed: string[] = []
    await deleteAll(context, {
      name: 'records',
      deleteSome: (tx, limit) => purgeForgotten(tx, now, limit, failed),
      skipFirst: async (error) => {
        const { recordId } = await context.inBatch(async (tx) => ({
          counts: {},
          recordId: await findNextPurgeable(tx, now, failed),
        }))
        await context.recordFault({ error, part: 'records', recordId })
        if (recordId) failed.push(recordId)
        return recordId !== undefined
      },
    })
  }

  /** A table that fails must not keep the purge from the others. */
  async function purgeTable(context: RunContext, name: string, deleteExpired: DeleteExpired): Promise<void> {
    await deleteAll(context, {
      name,
      deleteSome: (tx, limit) => deleteExpired(tx, context.run.startedAt, limit),
      skipFirst: async (error) => {
        await context.recordFault({ error, part: name })
        return false
      },
    })
  }

  return {
    run: async (context) => {
      const { run } = context
      if (run.dryRun && run.savesEffects) return listAll(context)
      if (!run.dryRun) await keepHistories(context)
      await purgeRecords(context)
      for (const [name, deleteExpired] of Object.entries(expired))
        await purgeTable(context, name, deleteExpired)
    },
  }
}

type Deletion = {
  /** The name under which the run counts the rows. */
  name: string
  deleteSome(tx: Transaction, limit: number): Promise<number>
  /** Reports that the first row fails. Returns whether the rows after it can be deleted. */
  skipFirst(error: unknown): Promise<boolean>
}

/** Deletes what is due, until nothing is left of it. */
function deleteAll({ run, inBatch }: RunContext, { name, deleteSome, skipFirst }: Deletion): Promise<void> {
  return drainInBatches({
    size: batchSize,
    doBatch: async (limit) => {
      const { done } = await inBatch(async (tx) => {
        const done = await deleteSome(tx, limit)
        return { done, counts: { [name]: done } }
      })
      // A dry run rolls each batch back, so a second batch would count the same rows again.
      return !run.dryRun && done >= limit
    },
    skipFirst,
  })
}

/** A plan lists each record. The other rows that a purge deletes hold no memory, and are left to the next run. */
function listAll({ run, inBatch }: RunContext): Promise<void> {
  return walkIds((after) =>
    inBatch(async (tx) => {
      await stopSavingEffects(tx)
      const due = await listPurgeable(tx, { now: run.startedAt, after, limit: batchSize })
      const changes = due.map(({ id, ...before }): Change => ({ record_id: id, action: 'purge', before }))
      const last = due.length < batchSize ? undefined : due.at(-1)?.id
      return { done: due.length, counts: { records: due.length }, changes, last }
    }),
  )
}
