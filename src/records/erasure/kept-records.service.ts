import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/trust/caller.ts'
import { findRecords } from '../records.queries.ts'
import type { ContentRow, StoredRecord } from '../stored-record.ts'
import type { Derivation } from './erased-ids.ts'
import {
  clearInheritedAuditText,
  type ErasureEntry,
  findContents,
  updateKeptRecords,
} from './erasure.queries.ts'
import { collectSourceContents, copiesWords, draftKeptUpdate, removeErasedSources } from './kept-record.ts'

/** `lost`: what is still stored of the sources. `keptIds`: the records that stay and were made from one of them. */
type LostSources = {
  lostIds: readonly string[]
  lost: readonly (ContentRow & { id: string })[]
  keptIds: readonly string[]
  derivations: readonly Derivation[]
}

/** Removes sources that were erased or moved away, and the words copied from them, from the records that stay. */
export async function updateKept(
  tx: Transaction,
  { lostIds, lost, keptIds, derivations }: LostSources,
  entry: ErasureEntry,
  textLanguage: string,
): Promise<void> {
  if (keptIds.length === 0) return
  const ids = new Set(lostIds)
  const copies = derivations.filter(({ derived, kind }) => !ids.has(derived) && copiesWords(kind))
  const remaining = await findContents(
    tx,
    copies.flatMap(({ source }) => (ids.has(source) ? [] : [source])),
  )
  const byId = new Map<string, ContentRow>([...lost, ...remaining].map((each) => [each.id, each]))
  const draft = (stored: StoredRecord) => {
    const content = removeErasedSources(stored, ids, collectSourceContents(stored.id, copies, ids, byId))
    return Object.keys(content).length === 0 ? [] : [draftKeptUpdate(stored, { ...stored, ...content })]
  }
  // Without edges: an entity has one for each mention.
  const updates = (await findRecords(tx, keptIds, fullTrust, 0)).flatMap(draft)
  if (updates.length > 0) await updateKeptRecords(tx, updates, entry, textLanguage)
  const copying = copies.flatMap(({ derived, source }) => (ids.has(source) ? [derived] : []))
  await clearInheritedAuditText(tx, [...new Set(copying)])
}
