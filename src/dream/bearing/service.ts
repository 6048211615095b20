import type { Transaction } from '../../db/transaction.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { PoliciesService } from '../../policies/index.ts'
import { type createSeal, insertRecords } from '../../records/index.ts'
import { type Dreamt, draftDreamt } from '../birth.ts'

export type BearingResources = {
  ids: Ids
  policies: Pick<PoliciesService, 'recall'>
  seal: ReturnType<typeof createSeal>
  textLanguage: string
}

export type Bear = ReturnType<typeof createBearing>

/** Stores what a dream writes; answers its id, or nothing where the same was erased before. */
export function createBearing({ ids, policies, seal, textLanguage }: BearingResources) {
  return async (tx: Transaction, said: Omit<Dreamt, 'id' | 'lifecycle'>): Promise<string | undefined> => {
    const policy = (await policies.recall(tx)).find(({ type }) => type === 'semantic')
    if (!policy) throw new Error('every type has a policy')
    const { type: _, ...lifecycle } = policy
    const id = ids.next()
    const stored = await insertRecords(tx, [draftDreamt({ ...said, id, lifecycle })], textLanguage, seal)
    return stored.ids.has(id) ? id : undefined
  }
}
