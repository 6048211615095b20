import type { Transaction } from '../../db/transaction.ts'
import { nilUuid } from '../../kernel/ids.ts'
import { claimFoldable, foldOldest } from './access-folding.queries.ts'

export type FoldInput = {
  /** Only accesses before this moment are folded. */
  before: Date
  /** The most accesses that one call deletes. */
  limit: number
  /** The most records that it takes. Their locks are held until the transaction ends. */
  records?: number
  /** The last record of the previous batch. */
  after?: string
}
export type FoldResult = { folded: number; after: string | undefined }

export const foldedRecords = 500

/**
 * Removes old accesses from the log without changing any importance: the record already counts them, and the number
 * of their days is kept. Returns where the next call continues; undefined when nothing is left.
 */
export async function foldAccesses(
  tx: Transaction,
  { before, limit, records = foldedRecords, after = nilUuid }: FoldInput,
): Promise<FoldResult> {
  const ids = await claimFoldable(tx, { before, after, limit: records })
  if (ids.length === 0) return { folded: 0, after: undefined }
  const folded = await foldOldest(tx, { ids, before, limit })
  // After a full batch some accesses of these records may be left.
  return { folded, after: folded === limit ? after : ids.at(-1) }
}
