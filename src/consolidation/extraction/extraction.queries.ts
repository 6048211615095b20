import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { PostponedEpisode } from '../episode-batches.queries.ts'

/** Whoever held them is no more: under the lease of the run nobody else is at work. */
export async function releaseAllClaims(tx: Transaction): Promise<void> {
  await sql`
    update unconsolidated set claimed_until = null where stage = 'extraction' and claimed_until is not null
  `.execute(tx)
}

export async function claimUntil(tx: Transaction, ids: readonly string[], until: Date): Promise<void> {
  await sql`
    update unconsolidated set claimed_until = ${until}::timestamptz
    where stage = 'extraction' and record_id = any(${sql.val([...ids])}::uuid[])
  `.execute(tx)
}

/** Given back as they were: that they were not asked about is no fault of theirs. */
export async function releaseClaims(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    update unconsolidated set claimed_until = null
    where stage = 'extraction' and record_id = any(${sql.val([...ids])}::uuid[])
  `.execute(tx)
}

/** Of those that are held, the ones that are still on the list: others have been corrected or erased meanwhile. */
export async function lockClaimed(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select record_id as id from unconsolidated
    where stage = 'extraction' and record_id = any(${sql.val([...ids])}::uuid[])
    order by record_id
    for update
  `.execute(tx)
  return rows.map(({ id }) => id)
}

const maxAttempts = 5
const firstPause = '5 minutes'

/** As any stage puts off what failed. */
export async function postponeClaimed(
  tx: Transaction,
  { id, reason, now }: { id: string; reason: string; now: Date },
): Promise<Omit<PostponedEpisode, 'at'> | undefined> {
  const { rows } = await sql<Omit<PostponedEpisode, 'at'>>`
    update unconsolidated
    set attempts = attempts + 1, error = ${reason}, claimed_until = null,
      due_at = case when attempts + 1 >= ${maxAttempts} then 'infinity'
        else ${now}::timestamptz + ${firstPause}::interval * power(4, attempts) end
    where stage = 'extraction' and record_id = ${id}::uuid
    returning record_id as id, attempts, due_at = 'infinity' as is_given_up
  `.execute(tx)
  return rows[0]
}

/** What the run has spent so far, before it was taken up again. */
export async function findSpent(db: Database, runId: string) {
  const { rows } = await sql<{ prompt: number; completion: number; cost: number }>`
    select coalesce((stats ->> 'extraction_prompt_tokens')::float8, 0) as prompt,
      coalesce((stats ->> 'extraction_completion_tokens')::float8, 0) as completion,
      coalesce((stats ->> 'extraction_cost_micros')::float8, 0) as cost
    from maintenance_runs where id = ${runId}::uuid
  `.execute(db)
  const { prompt = 0, completion = 0, cost = 0 } = rows[0] ?? {}
  return { promptTokens: prompt, completionTokens: completion, costMicros: cost }
}
