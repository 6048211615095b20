import type { Transaction } from '../db/transaction.ts'
import { insertRecords, type WritingResources } from '../records/index.ts'
import { type DreamFact, draftDreamFact } from './dream-draft.ts'

export type InsertFact = ReturnType<typeof createFactInserter>

/**
 * Returns a function that stores a fact and returns its id. The id is undefined if the same content was erased
 * earlier.
 */
export function createFactInserter({ ids, policies, seal, textLanguage }: WritingResources) {
  return async (tx: Transaction, input: Omit<DreamFact, 'id' | 'policies'>): Promise<string | undefined> => {
    const id = ids.next()
    const fact = { ...input, id, policies: await policies.getAll(tx) }
    const stored = await insertRecords(tx, [draftDreamFact(fact)], { textLanguage, seal })
    return stored.ids.has(id) ? id : undefined
  }
}
