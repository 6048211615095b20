import type { BatchResult, RunContext } from '../jobs/runs.ts'
import { foldAccesses } from '../lifecycle/index.ts'
import type { Step } from './steps.ts'

const retentionMs = 90 * 86_400_000
/** Deleted at once; their records are locked until the transaction ends. */
const defaultBatchSize = 5_000

/**
 * Old accesses leave the log, as far as importance needs no more of them than a count. Runs and what they list are
 * deleted by the job `purge`, as all that has an end. The log is that of the whole store, so a run of one scope leaves
 * it alone.
 */
export function createAccessFoldingStep({ size = defaultBatchSize }: { size?: number } = {}): Step {
  async function run({ run: { startedAt, scope, dryRun }, inBatch }: RunContext): Promise<void> {
    if (scope !== null) return
    const before = new Date(startedAt.getTime() - retentionMs)
    let next: { after: string } | undefined = { after: '00000000-0000-0000-0000-000000000000' }
    while (next) {
      const from: { after: string } = next
      const { after } = await inBatch(async (tx): Promise<BatchResult & { after: string | undefined }> => {
        const { folded, after } = await foldAccesses(tx, { before, limit: size, ...from })
        return { after, counts: { accesses_folded: folded } }
      })
      // A rehearsal takes each batch back and would meet it for ever: it tells of what comes first.
      next = after === undefined || (dryRun && after === from.after) ? undefined : { after }
    }
  }

  return { name: 'prune_logs', figures: ['accesses_folded'], count: async () => 0, run }
}
