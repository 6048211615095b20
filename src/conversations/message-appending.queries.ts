import { sql } from 'kysely'
import { withoutPlace } from '../db/fragments/departed-place.ts'
import type { Transaction } from '../db/transaction.ts'
import type { MessageCalls } from '../domain/payloads/message-content.ts'
import { computePosition } from '../domain/payloads/message-place.ts'
import type { Sensitivity } from '../domain/trust/caller.ts'
import type { Place } from './message-comparison.ts'

type PlaceRow = {
  departed_id: string | null
  at: string
  message_id: string | null
  role: string | null
  name: string | null
  text: string
  calls: MessageCalls
}
type Order = { scope: string; conversation: string; sensitivity: Sensitivity }

/**
 * Two calls must not read the conversation at the same time: they would put their messages at the same places, one between those
 * of the other.
 */
export async function lockOrder(tx: Transaction, { scope, conversation }: Order): Promise<void> {
  const name = JSON.stringify([scope, conversation])
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}::text, 7351 # lock_seed()))`.execute(tx)
}

/**
 * The first places of a conversation, also the places of forgotten and of purged messages. Only messages of one sensitivity count:
 * the answer to one message must not show that there is a more sensitive one.
 */
export async function listEarliest(
  tx: Transaction,
  { scope, conversation, sensitivity }: Order,
  limit: number,
): Promise<Place[]> {
  const { rows } = await sql<PlaceRow>`
    select place.departed_id, to_json(place.at) #>> '{}' as at,
      c.payload #>> '{conversation,message_id}' as message_id, c.payload #>> '{conversation,role}' as role,
      c.payload #>> '{conversation,name}' as name, coalesce(c.payload #>> '{timeline,0,summary}', '') as text,
      coalesce(c.payload -> 'tool_graph', '[]') as calls
    from (
      (
        select m.record_id, null::uuid as departed_id, m.at, m.arrival
        from messages as m join records as r on r.id = m.record_id
        where m.scope = ${scope} and m.conversation = ${conversation} and r.sensitivity = ${sensitivity}::sensitivity
        order by m.at, m.arrival
        limit ${limit}
      )
      union all
      (
        select null, d.id, d.message_at, d.message_arrival from departures as d
        where d.scope = ${scope} and d.conversation = ${conversation} and d.sensitivity = ${sensitivity}::sensitivity
        order by d.message_at, d.message_arrival
        limit ${limit}
      )
    ) as place left join contents as c on c.record_id = place.record_id
    order by place.at, place.arrival
    limit ${limit}
  `.execute(tx)
  return rows.map(({ departed_id, at, message_id, role, ...said }) =>
    departed_id === null && message_id !== null && role !== null
      ? { at, message: { message_id, role, ...said } }
      : { at, departed_id: departed_id ?? '' },
  )
}

/** Gives up the places of purged messages, if the conversation has no other message of this sensitivity. */
export async function leavePlaces(
  tx: Transaction,
  { scope, conversation, sensitivity }: Order,
): Promise<void> {
  await sql`
    update departures set ${withoutPlace}
    where scope = ${scope} and conversation = ${conversation} and sensitivity = ${sensitivity}::sensitivity
      and not exists (
        select from messages as m join records as r on r.id = m.record_id
        where m.scope = ${scope} and m.conversation = ${conversation} and r.sensitivity = ${sensitivity}::sensitivity
      )
  `.execute(tx)
}

/** Moves new messages to the places of purged ones, which they take over. */
export async function takePlaces(
  tx: Transaction,
  taken: readonly { record_id: string; departed_id: string }[],
): Promise<void> {
  await sql`
    with placed as (
      update messages as m set at = d.message_at, arrival = d.message_arrival
      from unnest(
        ${taken.map((each) => each.record_id)}::uuid[],
        ${taken.map((each) => each.departed_id)}::uuid[]
      ) as taken (record_id, departed_id) join departures as d on d.id = taken.departed_id
      where m.record_id = taken.record_id and d.conversation is not null
      returning d.id
    )
    update departures set ${withoutPlace}
    where id in (select id from placed)
  `.execute(tx)
}

/**
 * How many messages of this sensitivity a conversation has at each of the times, by the position of the first. A purged
 * message counts, because those after it keep their positions.
 */
export async function countAtTimes(
  tx: Transaction,
  { scope, conversation, sensitivity }: Order,
  times: readonly string[],
): Promise<Map<number, number>> {
  const asked = sql`${times}::timestamptz[]`
  const { rows } = await sql<{ at: string; messages: number }>`
    select to_json(place.at) #>> '{}' as at, count(*)::int4 as messages
    from (
      select m.at from messages as m join records as r on r.id = m.record_id
      where m.scope = ${scope} and m.conversation = ${conversation} and m.at = any(${asked}) and r.sensitivity = ${sensitivity}::sensitivity
      union all
      select d.message_at from departures as d
      where d.scope = ${scope} and d.conversation = ${conversation} and d.message_at = any(${asked})
        and d.sensitivity = ${sensitivity}::sensitivity
    ) as place
    group by place.at
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
