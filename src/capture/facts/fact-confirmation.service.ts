import { addTallies } from '../../db/tallies.ts'
import type { Transaction } from '../../db/transaction.ts'
import { computeSalience } from '../../domain/lifecycle/curves.ts'
import { rescoreAndPromoteIfNeeded } from '../../lifecycle/index.ts'
import { type Confirmation, confirmFact, type StoredRecord, writeChange } from '../../records/index.ts'

type Reason = { actor: string; rationale: string }

/** Adds one more source to a stored fact, which must be locked, and reinforces it. Returns the fact as changed. */
export async function confirmStoredFact(
  tx: Transaction,
  stored: StoredRecord,
  confirmation: Confirmation,
  { now, textLanguage, ...reason }: Reason & { now: Date; textLanguage: string },
): Promise<StoredRecord> {
  if (stored.payload.kind !== 'semantic') throw new Error('a confirmed fact must be a semantic record')
  const { record, content } = confirmFact(stored, stored.payload, confirmation, now)
  const changed = await writeChange(tx, stored, {
    action: 'reinforce',
    ...reason,
    now,
    textLanguage,
    record,
    content,
    changes: { salience: [computeSalience(stored, now), record.salience] },
  })
  await rescoreAndPromoteIfNeeded(tx, changed, now)
  await addTallies(tx, { deduplicated: 1 })
  return changed
}
