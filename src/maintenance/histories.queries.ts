import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Transaction } from '../db/transaction.ts'

export type HistoryName = 'audit_entries' | 'importance_history' | 'maintenance_changes'

export type Rotation = {
  now: Date
  /** Whole months before it are dropped; null to keep everything. */
  keepFrom: Date | null
  /** From how many bytes on a history that is kept for ever gets a partition for each month. */
  minBytes: number
}

/**
 * Drops old months of a history, and prepares the next one. Returns how many months were dropped; null when a lock was not
 * free within 0.2 s: then nothing was done, and no other transaction waited for longer.
 */
export async function rotateHistory(
  tx: Transaction,
  history: HistoryName,
  { now, keepFrom, minBytes }: Rotation,
): Promise<number | null> {
  const { rows } = await sql<{ dropped: number | null }>`
    select tend_history(
      ${history}::text, ${now}::timestamptz, ${keepFrom}::timestamptz, ${minBytes}::bigint
    ) as dropped
  `.execute(tx)
  return rows[0]?.dropped ?? null
}

/** Samples a history that grew or shrank by a fifth: autovacuum does so for each partition, and not for the whole. */
export async function analyzeHistory(tx: Transaction, history: HistoryName): Promise<void> {
  await sql`select analyze_history(${history}::text) as analyzed`.execute(tx)
}

/**
 * When the oldest run was created that is open, ended after `before`, or prepared a plan that has not expired; null for none.
 * The changes that were applied of a plan are in the months after it.
 */
export async function findOldestKeptRun(
  db: Database,
  { before, now }: { before: Date; now: Date },
): Promise<Date | null> {
  const { rows } = await sql<{ created_at: Date | null }>`
    select least(
      (
        select min(created_at) from maintenance_runs
        where finished_at is null or finished_at > ${before}::timestamptz
      ),
      (
        select min(m.created_at) from plans as p join maintenance_runs as m on m.id = p.id
        where p.expires_at > ${now}::timestamptz
      )
    ) as created_at
  `.execute(db)
  return rows[0]?.created_at ?? null
}
