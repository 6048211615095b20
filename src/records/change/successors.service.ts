import type { Transaction } from '../../db/transaction.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { AppError } from '../../kernel/errors.ts'
import type { StoredRecord } from '../stored-record.ts'
import type { Successors } from './successor-errors.ts'
import { findLastSuccessors } from './successors.queries.ts'

/** The current successors of those records that were superseded or merged, as far as the caller sees them. */
export async function findSuccessors(
  tx: Transaction,
  { trust }: Caller,
  records: readonly (StoredRecord | AppError)[],
): Promise<Successors> {
  const replaced = records.flatMap((record) =>
    !(record instanceof AppError) && (record.status === 'superseded' || record.status === 'merged')
      ? [record.id]
      : [],
  )
  if (replaced.length === 0) return new Map()
  const found = await findLastSuccessors(tx, replaced, trust)
  return new Map(found.map(({ id, successor }) => [id, successor]))
}
