import type { Transaction } from '../db/transaction.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import type { Ids } from '../kernel/ids.ts'
import type { PoliciesService } from '../policies/index.ts'
import { insertRecords } from '../records/index.ts'
import { type DreamFact, draftDreamFact } from './dream-draft.ts'

export type FactInserterResources = {
  ids: Ids
  policies: Pick<PoliciesService, 'getAll'>
  seal: Seal
  textLanguage: string
}

export type InsertFact = ReturnType<typeof createFactInserter>

/**
 * Returns a function that stores a fact and returns its id. The id is undefined if the same content was erased
 * earlier.
 */
export function createFactInserter({ ids, policies, seal, textLanguage }: FactInserterResources) {
  return async (tx: Transaction, input: Omit<DreamFact, 'id' | 'policies'>): Promise<string | undefined> => {
    const id = ids.next()
    const fact = { ...input, id, policies: await policies.getAll(tx) }
    const stored = await insertRecords(tx, [draftDreamFact(fact)], { textLanguage, seal })
    return stored.ids.has(id) ? id : undefined
  }
}
