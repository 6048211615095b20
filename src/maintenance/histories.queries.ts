import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Transaction } from '../db/transaction.ts'

export type HistoryName = 'audit_entries' | 'importance_history' | 'maintenance_changes'

export type Tending = {
  now: Date
  /** Whole months before it are dropped; null to keep everything. */
  keepFrom: Date | null
  /** From how many bytes on a history that is kept for ever gets a partition for each month. */
  leastBytes: number
}

/**
 * Drops old months of a history, and prepares the next one. Returns how many months were dropped; null when a lock was not
 * free within 0.2 s: then nothing was done, and nobody waited for longer.
 */
export async function tendHistory(
  tx: Transaction,
  history: HistoryName,
  { now, keepFrom, leastBytes }: Tending,
): Promise<number | null> {
  const { rows } = await sql<{ dropped: number | null }>`
    select tend_history(
      ${history}::text, ${now}::timestamptz, ${keepFrom}::timestamptz, ${leastBytes}::bigint
    ) as dropped
  `.execute(tx)
  return rows[0]?.dropped ?? null
}

/** Samples a history that grew or shrank by a fifth: autovacuum does so for each partition, and not for the whole. */
export async function analyzeHistory(tx: Transaction, history: HistoryName): Promise<void> {
  await sql`select analyze_history(${history}::text) as analyzed`.execute(tx)
}

/** When the oldest run was created that is open, or ended after `before`; null for none. */
export async function findOldestKeptRun(db: Database, before: Date): Promise<Date | null> {
  const { rows } = await sql<{ created_at: Date | null }>`
    select min(created_at) as created_at from maintenance_runs
    where finished_at is null or finished_at > ${before}::timestamptz
  `.execute(db)
  return rows[0]?.created_at ?? null
}
