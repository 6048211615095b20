import type { BatchResult, RunContext } from '../jobs/runs.ts'
import { walkInBatches } from '../jobs/table-walk.ts'
import { nilUuid } from '../kernel/ids.ts'
import { claimFoldable, foldAccesses, foldedRecords } from '../lifecycle/index.ts'
import type { Step } from './steps.ts'

const retentionMs = 90 * 86_400_000
/** Accesses per batch. Their records stay locked until the transaction ends. */
const batchSize = 5_000

/**
 * Deletes old accesses from the log and keeps the count that importance needs. The job `purge` deletes old runs and
 * their lists. A run of one scope skips this step, because the log belongs to the whole store.
 */
export function createAccessFoldingStep(): Step {
  async function run({ run: { startedAt, scope, dryRun }, inBatch, recordFault }: RunContext): Promise<void> {
    if (scope !== null) return
    const before = new Date(startedAt.getTime() - retentionMs)
    await walkInBatches<string>({
      start: nilUuid,
      size: foldedRecords,
      doBatch: async (from, records) => {
        const { after } = await inBatch(async (tx): Promise<BatchResult & { after: string | undefined }> => {
          const { folded, after } = await foldAccesses(tx, { before, limit: batchSize, after: from, records })
          return { after, counts: { accesses_folded: folded } }
        })
        // A dry run rolls each batch back and would read the same rows forever, so it reports only the first batch.
        return dryRun && after === from ? undefined : after
      },
      skipRecord: async (after, error) => {
        const { recordId } = await inBatch(async (tx) => ({
          counts: {},
          recordId: (await claimFoldable(tx, { before, after, limit: 1 }))[0],
        }))
        if (recordId) await recordFault({ error, recordId, part: 'prune_logs' })
        return recordId
      },
    })
  }

  return { name: 'prune_logs', figures: ['accesses_folded'], count: async () => 0, run }
}
