import { walkRunById } from '../jobs/runs/run-walk.ts'
import type { RunContext } from '../jobs/runs/runs.ts'
import { dayMs, subtractMilliseconds } from '../kernel/units.ts'
import { claimFoldable, foldAccesses, foldedRecords } from '../lifecycle/index.ts'
import type { Step } from './steps.ts'

const retentionMs = 90 * dayMs
/** Accesses per batch. Their records stay locked until the transaction ends. */
const batchSize = 5_000

/**
 * Deletes old accesses from the log and keeps the count that importance needs. The job `purge` deletes old runs and
 * their lists. A run of one scope skips this step, because the log belongs to the whole store.
 */
export function createAccessFoldingStep(): Step {
  async function run(context: RunContext): Promise<void> {
    const { startedAt, scope, dryRun } = context.run
    if (scope !== null) return
    const before = subtractMilliseconds(startedAt, retentionMs)
    await walkRunById(context, {
      part: 'prune_logs',
      size: foldedRecords,
      doPortion: async (tx, { after, limit: records }) => {
        const folded = await foldAccesses(tx, { before, limit: batchSize, after, records })
        // A dry run rolls each batch back and would read the same rows forever, so it reports only the first batch.
        const last = dryRun && folded.after === after ? undefined : folded.after
        return { last, counts: { accesses_folded: folded.folded } }
      },
      findNext: async (tx, after) => (await claimFoldable(tx, { before, after, limit: 1 }))[0],
    })
  }

  return { name: 'prune_logs', figures: ['accesses_folded'], run }
}
