import type { BatchResult } from '../../jobs/runs.ts'
import { startPosition } from '../../jobs/table-walk.ts'
import { revertMerge } from '../../revision/index.ts'
import type { DreamContext } from '../steps.ts'
import { findOrphans } from './clustering.queries.ts'

const batchSize = 200
const audit = { actor: 'dream/cluster', rationale: 'what it was told in is no more' }

/** Restores the members of a summary that was erased or purged. Their content would otherwise be nowhere. */
export async function restoreOrphans({ run, inBatch }: DreamContext, textLanguage: string): Promise<void> {
  let after: string | undefined = startPosition.id
  while (after !== undefined) {
    const from: string = after
    const { next } = await inBatch(async (tx): Promise<BatchResult & { next: string | undefined }> => {
      const ids = await findOrphans(tx, { scope: run.scope, after: from, limit: batchSize })
      const reverting = { ...audit, now: run.startedAt, runId: run.id, textLanguage }
      const reverted = await revertMerge(tx, ids, reverting)
      const moved = { before: { status: 'merged' }, after: { status: 'active' } }
      const changes = reverted.map((id) => ({ record_id: id, action: 'unmerge', ...moved }))
      const next = ids.length < batchSize ? undefined : ids.at(-1)
      return { next, counts: { records_unmerged: reverted.length }, changes }
    })
    after = next
  }
}
