import type { Transaction } from '../db/transaction.ts'
import { claimFoldable, foldOldest } from './access-folding.queries.ts'

export type FoldInput = {
  /** What is younger stays. */
  before: Date
  /** Most accesses that go at once. */
  limit: number
  /** Where the one before it ended. */
  after?: string
}
export type FoldResult = { folded: number; after: string | undefined }

const firstId = '00000000-0000-0000-0000-000000000000'
/** Their locks are held until the transaction ends. */
const mostRecords = 500

/**
 * Takes old accesses out of the log without moving anybody's importance: they are counted on their records already,
 * and of the days they were on a count is kept. Answers where to go on, until there is nothing left.
 */
export async function foldAccesses(
  tx: Transaction,
  { before, limit, after = firstId }: FoldInput,
): Promise<FoldResult> {
  const ids = await claimFoldable(tx, { before, after, limit: mostRecords })
  if (ids.length === 0) return { folded: 0, after: undefined }
  const folded = await foldOldest(tx, { ids, before, limit })
  // A full batch may have left some of these records' own.
  return { folded, after: folded === limit ? after : ids.at(-1) }
}
