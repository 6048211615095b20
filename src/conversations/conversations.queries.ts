import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isVisibleTo, openTo } from '../db/fragments/visibility.ts'
import { type Trust, unscoped } from '../domain/trust/caller.ts'

export type Place = { scope: string; conversation: string }

export type Figures = Place & {
  messages: number
  first_at: Date
  last_at: Date
  updated_at: Date
  speakers: { name: string; messages: number }[]
}

/**
 * Figures of the messages that the caller sees, for each of the conversations that has any. A redacted message counts,
 * but its speaker does not.
 */
export async function findFigures(db: Database, trust: Trust, places: readonly Place[]): Promise<Figures[]> {
  const { rows } = await sql<Figures>`
    with message as materialized (
      select m.scope, m.conversation, m.at, r.created_at, case when ${openTo(trust)} then
        coalesce(c.payload #>> '{conversation,name}', c.payload #>> '{conversation,role}') end as speaker
      from unnest(${places.map(({ scope }) => scope)}::text[],
        ${places.map(({ conversation }) => conversation)}::text[]) as place (scope, conversation)
      join messages as m on m.scope = place.scope and m.conversation = place.conversation
      join records as r on r.id = m.record_id
      join contents as c on c.record_id = m.record_id
      where r.forgotten_at is null and ${isVisibleTo(trust)}
    ), spoken as (
      select scope, conversation, speaker, count(*) as messages from message
      where speaker is not null group by scope, conversation, speaker
    )
    select scope, conversation, count(*)::int4 as messages, min(at) as first_at, max(at) as last_at,
      max(created_at) as updated_at, (
        select coalesce(json_agg(json_build_object('name', named.speaker, 'messages', named.messages)), '[]')
        from (
          select speaker, messages from spoken as s
          where s.scope = message.scope and s.conversation = message.conversation
          order by messages desc, speaker limit 100
        ) as named
      ) as speakers
    from message
    group by scope, conversation
  `.execute(db)
  return rows
}

/** The time is a text, because a Date has no microseconds. */
export type MessageRow = { id: string; at: string; arrival: number }

type Page = {
  after?: { at: string; arrival: number } | undefined
  limit: number
  /** Whether forgotten messages are among them. */
  hasForgotten?: boolean
}

/** Ids of messages in order. A message that the caller sees only redacted is among them. */
export async function listMessages(
  db: Database,
  trust: Trust,
  place: Place,
  { after, limit, hasForgotten = false }: Page,
): Promise<MessageRow[]> {
  const kept = hasForgotten ? sql`` : sql`and r.forgotten_at is null`
  const rest = after ? sql`and (m.at, m.arrival) > (${after.at}::timestamptz, ${after.arrival}::int8)` : sql``
  const { rows } = await sql<MessageRow>`
    select m.record_id as id, to_json(m.at) #>> '{}' as at, m.arrival
    from messages as m join records as r on r.id = m.record_id
    where m.scope = ${place.scope} and m.conversation = ${place.conversation} ${rest}
      ${kept} and ${isVisibleTo(trust)}
    order by m.at, m.arrival
    limit ${limit}
  `.execute(db)
  return rows
}

export type NewestFirst = Place & { newest: number }
type NewestPage = { scope: string | undefined; after?: { newest: number } | undefined; limit: number }

/**
 * Conversations in the order of the message that was added last, among those that the caller sees. The statement steps through the
 * indexes from one conversation to the next, and reads only the last visible message of each: the cost grows with the number
 * of conversations, not of messages.
 */
export async function listConversations(
  db: Database,
  trust: Trust,
  { scope, after, limit }: NewestPage,
): Promise<NewestFirst[]> {
  const rest = after ? sql`and last.newest < ${after.newest}::int8` : sql``
  const { rows } = await sql<NewestFirst>`
    with recursive ${stepThrough(listReachable(trust, scope))}
    select known.scope, known.conversation, last.newest
    from known cross join lateral (
      select m.arrival as newest
      from messages as m join records as r on r.id = m.record_id
      where m.scope = known.scope and m.conversation = known.conversation
        and r.forgotten_at is null and ${isVisibleTo(trust)}
      order by m.arrival desc
      limit 1
    ) as last
    where true ${rest}
    order by last.newest desc
    limit ${limit}
  `.execute(db)
  return rows
}

/** The scopes whose conversations the caller may see and asks for; null for all. */
function listReachable({ scopes }: Trust, asked: string | undefined): readonly string[] | null {
  const allowed = scopes && [...scopes, unscoped]
  if (asked === undefined) return allowed
  return allowed === null || allowed.includes(asked) ? [asked] : []
}

function stepThrough(scopes: readonly string[] | null): RawBuilder<unknown> {
  const first = scopes
    ? sql`select next.* from unnest(${[...new Set(scopes)]}::text[]) as reachable (scope) cross join lateral (
        select m.scope, m.conversation from messages as m where m.scope = reachable.scope
        order by m.conversation limit 1
      ) as next`
    : sql`(select m.scope, m.conversation from messages as m order by m.scope, m.conversation limit 1)`
  const isNext = scopes
    ? sql`m.scope = known.scope and m.conversation > known.conversation`
    : sql`(m.scope, m.conversation) > (known.scope, known.conversation)`
  return sql`known as (
      ${first}
      union all
      select next.scope, next.conversation
      from known cross join lateral (
        select m.scope, m.conversation from messages as m where ${isNext}
        order by m.scope, m.conversation
        limit 1
      ) as next
    )`
}
