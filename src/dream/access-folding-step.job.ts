import type { BatchResult, RunContext } from '../jobs/runs.ts'
import { nilUuid } from '../kernel/ids.ts'
import { foldAccesses } from '../lifecycle/index.ts'
import type { Step } from './steps.ts'

const retentionMs = 90 * 86_400_000
/** Accesses per batch. Their records stay locked until the transaction ends. */
const batchSize = 5_000

/**
 * Deletes old accesses from the log and keeps the count that importance needs. The job `purge` deletes old runs and
 * their lists. A run of one scope skips this step, because the log belongs to the whole store.
 */
export function createAccessFoldingStep(): Step {
  async function run({ run: { startedAt, scope, dryRun }, inBatch }: RunContext): Promise<void> {
    if (scope !== null) return
    const before = new Date(startedAt.getTime() - retentionMs)
    let next: { after: string } | undefined = { after: nilUuid }
    while (next) {
      const from: { after: string } = next
      const { after } = await inBatch(async (tx): Promise<BatchResult & { after: string | undefined }> => {
        const { folded, after } = await foldAccesses(tx, { before, limit: batchSize, ...from })
        return { after, counts: { accesses_folded: folded } }
      })
      // A dry run rolls each batch back and would read the same rows forever, so it reports only the first batch.
      next = after === undefined || (dryRun && after === from.after) ? undefined : { after }
    }
  }

  return { name: 'prune_logs', figures: ['accesses_folded'], count: async () => 0, run }
}
