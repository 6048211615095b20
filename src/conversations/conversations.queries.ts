import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { openTo, visibleTo } from '../db/visibility.ts'
import type { Trust } from '../domain/caller.ts'

export type Place = { scope: string; conversation: string }

export type Figures = { messages: number; first_at: Date | null; last_at: Date | null; speakers: string[] }

/** Figures of the messages that the caller sees whole. */
export async function findFigures(db: Database, trust: Trust, place: Place): Promise<Figures> {
  const { rows } = await sql<Figures>`
    with message as materialized (
      select m.at, coalesce(c.payload #>> '{conversation,name}', c.payload #>> '{conversation,role}') as speaker
      from messages as m
      join records as r on r.id = m.record_id
      join contents as c on c.record_id = m.record_id
      where m.scope = ${place.scope} and m.conversation = ${place.conversation} and r.forgotten_at is null
        and ${openTo(trust)}
    )
    select count(*)::int4 as messages, min(at) as first_at, max(at) as last_at,
      array(select distinct speaker from message order by speaker limit 100) as speakers
    from message
  `.execute(db)
  return rows[0] ?? { messages: 0, first_at: null, last_at: null, speakers: [] }
}

/** The time is a text, because a Date has no microseconds. */
export type MessageRow = { id: string; at: string; arrival: number }

type Page = { after?: { at: string; arrival: number } | undefined; limit: number }

/** Ids of messages in order. A message that the caller sees only redacted is among them. */
export async function listMessages(
  db: Database,
  trust: Trust,
  place: Place,
  { after, limit }: Page,
): Promise<MessageRow[]> {
  const rest = after ? sql`and (m.at, m.arrival) > (${after.at}::timestamptz, ${after.arrival}::int8)` : sql``
  const { rows } = await sql<MessageRow>`
    select m.record_id as id, to_json(m.at) #>> '{}' as at, m.arrival
    from messages as m join records as r on r.id = m.record_id
    where m.scope = ${place.scope} and m.conversation = ${place.conversation} ${rest}
      and r.forgotten_at is null and ${visibleTo(trust)}
    order by m.at, m.arrival
    limit ${limit}
  `.execute(db)
  return rows
}

export type Summary = Place & { last_at: string }
type SummaryPage = {
  scope: string | undefined
  after?: { last_at: string; scope: string; conversation: string } | undefined
  limit: number
}

/**
 * Conversations by the time of their newest visible message. Steps from one conversation to the next in the index, and
 * looks for the newest message of each: the cost grows with the number of conversations, not of messages.
 */
export async function listConversations(
  db: Database,
  trust: Trust,
  { scope, after, limit }: SummaryPage,
): Promise<Summary[]> {
  const within = scope === undefined ? sql`true` : sql`m.scope = ${scope}`
  const rest = after
    ? sql`and (newest.at, known.scope, known.conversation)
        < (${after.last_at}::timestamptz, ${after.scope}, ${after.conversation})`
    : sql``
  const { rows } = await sql<Summary>`
    with recursive known as (
      (select m.scope, m.conversation from messages as m where ${within} order by m.scope, m.conversation limit 1)
      union all
      select next.scope, next.conversation
      from known cross join lateral (
        select m.scope, m.conversation from messages as m
        where (m.scope, m.conversation) > (known.scope, known.conversation) and ${within}
        order by m.scope, m.conversation
        limit 1
      ) as next
    )
    select known.scope, known.conversation, to_json(newest.at) #>> '{}' as last_at
    from known cross join lateral (
      select m.at
      from messages as m join records as r on r.id = m.record_id
      where m.scope = known.scope and m.conversation = known.conversation
        and r.forgotten_at is null and ${openTo(trust)}
      order by m.at desc, m.arrival desc
      limit 1
    ) as newest
    where true ${rest}
    order by newest.at desc, known.scope desc, known.conversation desc
    limit ${limit}
  `.execute(db)
  return rows
}
