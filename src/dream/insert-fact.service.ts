import type { Transaction } from '../db/transaction.ts'
import type { createSeal } from '../domain/tombstone-seal.ts'
import type { Ids } from '../kernel/ids.ts'
import type { PoliciesService } from '../policies/index.ts'
import { insertRecords } from '../records/index.ts'
import { type Dreamt, draftDreamt } from './dream-draft.ts'

export type BearingResources = {
  ids: Ids
  policies: Pick<PoliciesService, 'getAll'>
  seal: ReturnType<typeof createSeal>
  textLanguage: string
}

export type Bear = ReturnType<typeof createBearing>

/** Stores what a dream writes; answers its id, or nothing where the same was erased before. */
export function createBearing({ ids, policies, seal, textLanguage }: BearingResources) {
  return async (tx: Transaction, said: Omit<Dreamt, 'id' | 'policies'>): Promise<string | undefined> => {
    const id = ids.next()
    const dreamt = { ...said, id, policies: await policies.getAll(tx) }
    const stored = await insertRecords(tx, [draftDreamt(dreamt)], textLanguage, seal)
    return stored.ids.has(id) ? id : undefined
  }
}
