import { maxAnswerBytes } from '../../db/fragments/json/json-size.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { AppError } from '../../kernel/errors.ts'
import { measureContents } from './first-records.queries.ts'

/** A merge holds all its records in memory, and an entity gets the content of all. */
const maxMergedBytes = { record: 2 * maxAnswerBytes, entity: maxAnswerBytes } as const

/** Throws if the records are too long to be merged, before their content is read. */
export async function requireMergeableSize(
  tx: Transaction,
  { trust }: Caller,
  ids: readonly string[],
  merged: keyof typeof maxMergedBytes,
): Promise<void> {
  const sizes = await measureContents(tx, trust, ids)
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  const most = maxMergedBytes[merged]
  if (total <= most) return
  throw new AppError(
    'merge_too_large',
    `The records to merge have ${Math.ceil(total / 1_024 ** 2)} MiB together; at most ${most / 1_024 ** 2} MiB can be merged.`,
  )
}
