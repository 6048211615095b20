import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/trust/caller.ts'
import { type Change, writeChange } from '../change/record-change.service.ts'
import { findRecords, lockRecords } from '../records.queries.ts'
import { findLessSensitive } from './derived-sensitivity.queries.ts'

type Reason = Pick<Change, 'actor' | 'now' | 'textLanguage'>

/**
 * After a record became more sensitive, so do the records made from it, including those that the caller does not see. Call it
 * in a transaction that holds the tombstones alone: records are made from others only while they are shared.
 */
export async function raiseDerived(tx: Transaction, sourceId: string, reason: Reason): Promise<void> {
  for (let sources = [sourceId]; sources.length > 0; ) {
    const required = await findLessSensitive(tx, sources)
    sources = required.map(({ id }) => id)
    await lockRecords(tx, sources)
    const byId = new Map(required.map(({ id, sensitivity }) => [id, sensitivity]))
    for (const stored of await findRecords(tx, sources, fullTrust)) {
      const sensitivity = byId.get(stored.id) ?? stored.sensitivity
      await writeChange(tx, stored, {
        ...reason,
        action: 'revise',
        rationale: 'as sensitive as its sources',
        record: { sensitivity },
        changes: { sensitivity: [stored.sensitivity, sensitivity] },
      })
    }
  }
}
