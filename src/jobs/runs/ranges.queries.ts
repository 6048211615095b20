import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { selectPages } from '../../db/fragments/table-size.ts'
import type { Transaction } from '../../db/transaction.ts'

/** Divides the table into ranges of pages for several workers, once in a run. Each page is read and written once. */
export async function insertRanges(tx: Transaction, runId: string, blocks: number): Promise<void> {
  await sql`
    insert into maintenance_ranges (run_id, first_block, end_block, done)
    select ${runId}::uuid, first, first + ${blocks}::bigint, false
    from generate_series(
      0, ${selectPages('records')}, ${blocks}::bigint
    ) as first
    where not exists (select from maintenance_ranges where run_id = ${runId}::uuid)
  `.execute(tx)
}

export type Range = { first_block: number; end_block: number }

/**
 * Locks a range until the transaction ends, and skips ranges that other workers have locked. It takes the last range
 * first: an update writes new row versions at the end of the table, where a later range would meet them again.
 */
export async function takeRange(tx: Transaction, runId: string): Promise<Range | undefined> {
  return tx
    .selectFrom('maintenance_ranges')
    .where('run_id', '=', runId)
    .where('done', '=', false)
    .select(['first_block', 'end_block'])
    .orderBy('first_block', 'desc')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

export async function finishRange(tx: Transaction, runId: string, range: Range): Promise<void> {
  await tx
    .updateTable('maintenance_ranges')
    .set({ done: true })
    .where('run_id', '=', runId)
    .where('first_block', '=', range.first_block)
    .execute()
}

export async function hasOpenRanges(db: Database, runId: string): Promise<boolean> {
  const open = await db
    .selectFrom('maintenance_ranges')
    .where('run_id', '=', runId)
    .where('done', '=', false)
    .select('run_id')
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}
