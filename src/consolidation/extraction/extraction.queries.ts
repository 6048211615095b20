import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import { type PostponedEpisode, setPostponed } from '../episode-batches.queries.ts'

/** Releases the claims of a lost worker. The lease of the run ensures that no other worker is active. */
export async function releaseAllClaims(tx: Transaction): Promise<void> {
  await sql`
    update unconsolidated set claimed_until = null where stage = 'extraction' and claimed_until is not null
  `.execute(tx)
}

export async function claimUntil(tx: Transaction, ids: readonly string[], until: Date): Promise<void> {
  await sql`
    update unconsolidated set claimed_until = ${until}::timestamptz
    where stage = 'extraction' and record_id = any(${ids}::uuid[])
  `.execute(tx)
}

/** Releases claims without counting an attempt, because the episode was not the cause of the failure. */
export async function releaseClaims(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    update unconsolidated set claimed_until = null
    where stage = 'extraction' and record_id = any(${ids}::uuid[])
  `.execute(tx)
}

/** Returns the claimed episodes that are still on the list, locked. Others were corrected or erased meanwhile. */
export async function lockClaimed(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select record_id as id from unconsolidated
    where stage = 'extraction' and record_id = any(${ids}::uuid[])
    order by record_id
    for update
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/** Postpones a claimed episode in the same way as the other stages do. */
export async function postponeClaimed(
  tx: Transaction,
  { id, ...failure }: { id: string; reason: string; now: Date },
): Promise<Omit<PostponedEpisode, 'at'> | undefined> {
  const { rows } = await sql<Omit<PostponedEpisode, 'at'>>`
    update unconsolidated
    set ${setPostponed(sql`attempts`, failure)}
    where stage = 'extraction' and record_id = ${id}::uuid
    returning record_id as id, attempts, due_at = 'infinity' as is_given_up
  `.execute(tx)
  return rows[0]
}
