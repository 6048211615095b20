import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

/** The current records that a dream wrote from a source, without pinned ones, by id. */
export async function findQuoting(tx: Transaction, sourceId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id
    from descents as d
    cross join lateral (
      select w.id, w.status, w.forgotten_at, w.pinned from records as w where w.id = d.derived_id offset 0
    ) as r
    where d.source_id = ${sourceId}::uuid and d.kind = 'dream'
      and r.status in ('active', 'challenged') and r.forgotten_at is null and not r.pinned
    order by r.id
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/** Forgets what the profiles answered, so that the next dream writes one even if the question is the same again. */
export async function deleteProfileRows(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`delete from peer_cards where card_id = any(${ids}::uuid[])`.execute(tx)
}
