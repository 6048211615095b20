import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Transaction } from '../db/transaction.ts'

/** Divides the table among workers, once for a run: by where rows lie, for so each page is read and written once. */
export async function insertRanges(tx: Transaction, runId: string, blocks: number): Promise<void> {
  await sql`
    insert into maintenance_ranges (run_id, first_block, end_block, done)
    select ${runId}::uuid, first, first + ${blocks}::bigint, false
    from generate_series(
      0, pg_relation_size('records') / current_setting('block_size')::bigint, ${blocks}::bigint
    ) as first
    where not exists (select from maintenance_ranges where run_id = ${runId}::uuid)
  `.execute(tx)
}

export type Range = { first_block: number; end_block: number }

/**
 * Taken for as long as the transaction lasts; passes over those that others have. The last first, because what is
 * written anew lies behind them, and would be met again.
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
