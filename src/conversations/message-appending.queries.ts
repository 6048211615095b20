import { sql } from 'kysely'
import type { Transaction } from '../db/transaction.ts'
import type { Sensitivity } from '../domain/caller.ts'
import { computePosition } from '../domain/message-place.ts'

type Order = { scope: string; conversation: string; sensitivity: Sensitivity }

/** Two calls that know messages only by their place must not read the conversation at the same time. */
export async function lockOrder(tx: Transaction, { scope, conversation }: Order): Promise<void> {
  const name = JSON.stringify([scope, conversation])
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}::text, 7351 # lock_seed()))`.execute(tx)
}

export type EarliestMessage = { message_id: string; role: string; name: string | null; content: string }

/**
 * The first messages of a conversation, forgotten ones too. Only those of one sensitivity: a more sensitive message
 * must not show by what becomes of another.
 */
export async function listEarliest(
  tx: Transaction,
  { scope, conversation, sensitivity }: Order,
  limit: number,
): Promise<EarliestMessage[]> {
  const { rows } = await sql<EarliestMessage>`
    select c.payload #>> '{conversation,message_id}' as message_id, c.payload #>> '{conversation,role}' as role,
      c.payload #>> '{conversation,name}' as name, coalesce(c.payload #>> '{timeline,0,summary}', '') as content
    from messages as m
    join records as r on r.id = m.record_id
    join contents as c on c.record_id = m.record_id
    where m.scope = ${scope} and m.conversation = ${conversation} and r.sensitivity = ${sensitivity}::sensitivity
    order by m.at, m.arrival
    limit ${limit}
  `.execute(tx)
  return rows
}

/** How many messages of this sensitivity a conversation has at each of the times, by the position of the first. */
export async function countAtTimes(
  tx: Transaction,
  { scope, conversation, sensitivity }: Order,
  times: readonly string[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ at: string; messages: number }>`
    select to_json(m.at) #>> '{}' as at, count(*)::int4 as messages
    from messages as m join records as r on r.id = m.record_id
    where m.scope = ${scope} and m.conversation = ${conversation} and m.at = any(${sql.val([...times])}::timestamptz[])
      and r.sensitivity = ${sensitivity}::sensitivity
    group by m.at
  `.execute(tx)
  return new Map(rows.map(({ at, messages }) => [computePosition(at), messages]))
}

/** The time of the last message of this sensitivity that is not older than an instant, with microseconds. */
export async function findLatestSince(
  tx: Transaction,
  { scope, conversation, sensitivity }: Order,
  instant: Date,
): Promise<string | undefined> {
  const { rows } = await sql<{ at: string }>`
    select to_json(m.at) #>> '{}' as at
    from messages as m join records as r on r.id = m.record_id
    where m.scope = ${scope} and m.conversation = ${conversation} and m.at >= ${instant}::timestamptz
      and r.sensitivity = ${sensitivity}::sensitivity
    order by m.at desc
    limit 1
  `.execute(tx)
  return rows[0]?.at
}
