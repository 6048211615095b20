import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import { noveltyWindow } from '../../domain/worth/worth-context.ts'
import type { WrittenMessage } from '../../domain/worth/written-message.ts'

/** A place in a conversation. Without an arrival it is after every message of the same time. */
export type ConversationPlace = {
  scope: string
  conversation: string
  sensitivity: Sensitivity
  at: string
  arrival?: number
}

/**
 * The last messages before each place, oldest first. Only those that every reader of a record of this sensitivity sees:
 * otherwise its worth would reveal the others.
 */
export async function findMessagesBefore(
  db: Database,
  places: readonly ConversationPlace[],
): Promise<WrittenMessage[][]> {
  if (places.length === 0) return []
  const asked = JSON.stringify(places.map((each, place) => ({ ...each, place })))
  const { rows } = await sql<{ place: number; role: string; name: string | null; text: string | null }>`
    select asked.place, said.role, said.name, said.text
    from json_to_recordset(${asked}::json) as asked
        (place int4, scope text, conversation text, sensitivity sensitivity, at timestamptz, arrival int8)
      cross join lateral (
        select c.payload #>> '{conversation,role}' as role, c.payload #>> '{conversation,name}' as name,
          c.payload #>> '{timeline,0,summary}' as text, m.at, m.arrival
        from messages as m
        join records as r on r.id = m.record_id
        join contents as c on c.record_id = m.record_id
        where m.scope = asked.scope and m.conversation = asked.conversation
          and (m.at, m.arrival) < (asked.at, coalesce(asked.arrival, 9223372036854775807))
          and r.forgotten_at is null and r.sensitivity <= asked.sensitivity
        order by m.at desc, m.arrival desc
        limit ${sql.lit(noveltyWindow)}
      ) as said
    order by asked.place, said.at, said.arrival
  `.execute(db)
  const before = places.map((): WrittenMessage[] => [])
  for (const { place, role, name, text } of rows)
    before[place]?.push({ role, name: name ?? undefined, text: text ?? '' })
  return before
}

/** The stored judgement of a record. */
export async function findWorth(db: Database, id: string): Promise<Buffer | null> {
  const row = await db.selectFrom('records').where('id', '=', id).select('worth').executeTakeFirst()
  return row?.worth ?? null
}
