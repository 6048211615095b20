import type { Transaction } from '../db/transaction.ts'
import type { BatchResult, Change } from '../jobs/runs.ts'
import { type ListedChange, listTakenBack, takenBackNote } from './undo.queries.ts'
import { type describeUndone, splitChanges } from './undone-changes.ts'

type UndoneEffects = {
  listed: readonly ListedChange[]
  selected: ReadonlySet<string>
  entries: ReturnType<typeof describeUndone>
  /** The records that were changed since, each with the reason why it stays. */
  blocked: ReadonlyMap<string, string>
  /** Those among them that failed. They are listed as such. */
  failed: ReadonlyMap<string, unknown>
  unlistedCount: number
}

/** Lists each record once, although the run may have changed it in several batches. */
export async function describeBatch(
  tx: Transaction,
  targetId: string,
  { listed, selected, entries, blocked, failed, unlistedCount }: UndoneEffects,
): Promise<BatchResult> {
  const changesById = new Map(entries.map((entry) => [entry.record_id, entry.changes]))
  const isNew = (action: string) => {
    const known = new Set(listed.flatMap((each) => (each.listed === action ? each.record_id : [])))
    return (id: string) => !known.has(id)
  }
  const undone = [...selected].filter((id) => changesById.has(id)).filter(isNew('undo'))
  const kept = [...selected].filter((id) => blocked.has(id) && !failed.has(id)).filter(isNew('kept'))
  const earlier = kept.length > 0 ? await listTakenBack(tx, targetId, kept) : new Set()
  return {
    done: undone.length + kept.length,
    counts: { undone: undone.length + unlistedCount, kept: kept.length },
    changes: [
      ...undone.map(
        (id): Change => ({ record_id: id, action: 'undo', ...splitChanges(changesById.get(id)) }),
      ),
      ...kept.map((id): Change => {
        const note = earlier.has(id) ? takenBackNote : (blocked.get(id) ?? '')
        return { record_id: id, action: 'kept', note }
      }),
    ],
  }
}
