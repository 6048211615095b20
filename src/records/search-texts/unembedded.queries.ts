import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

/** Ends an insert into `unembedded`: a text that waits already waits again from now, as if no attempt had failed. */
export const askAnew = sql`on conflict (record_id) do update
      set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts`

/** Queues the texts of these records for new vectors, after they were written by replaying effects. */
export async function queueForEmbedding(tx: Transaction, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into unembedded (record_id, asked_at, due_at)
    select id, ${now}::timestamptz, ${now}::timestamptz from unnest(${ids}::uuid[]) as written (id)
    ${askAnew}
  `.execute(tx)
}
