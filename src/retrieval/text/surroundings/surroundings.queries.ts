import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../db/connection.ts'
import { type Conditions, joinConditions, meetsAll } from '../../../db/fragments/conditions.ts'
import { asks, speakerName } from '../../candidates/record-columns.queries.ts'
import { joinWords, padPlaces } from '../tsquery.ts'
import { selectOccurrences } from '../word-occurrences.queries.ts'
import type { MessageWords } from './surroundings-score.ts'

export type MessagesAround = {
  /** The message that was found. */
  message: string
  /** It and its neighbours, in the order of the conversation. */
  ids: string[]
  times: Date[]
}

/**
 * The messages around each that was found. One that fails the conditions on `records as r` is passed over, as if it did not
 * exist.
 */
export async function findMessagesAround(
  db: Database,
  ids: readonly string[],
  contextConditions: Conditions,
  distance: number,
): Promise<MessagesAround[]> {
  const { rows } = await sql<MessagesAround>`
    select m.record_id as message, array_agg(near.record_id order by near.at, near.arrival) as ids,
      array_agg(near.at order by near.at, near.arrival) as times
    from unnest(${ids}::uuid[]) as found (id)
    join messages as m on m.record_id = found.id
    cross join lateral (
      select m.record_id, m.at, m.arrival
      union all (${selectSide('before', { contextConditions, distance })})
      union all (${selectSide('after', { contextConditions, distance })})
    ) as near
    group by m.record_id
  `.execute(db)
  return rows
}

type Side = Pick<SurroundingsSearch, 'contextConditions' | 'distance'> & { columns?: RawBuilder<unknown> }

/** The messages on one side of a message `m`; `columns` are further ones, of the record `r`. */
function selectSide(side: 'before' | 'after', { contextConditions, distance, columns = sql`` }: Side) {
  const [order, isBeyond] = side === 'before' ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  return sql`
    select n.record_id, n.at, n.arrival ${columns}
    from messages as n join records as r on r.id = n.record_id
    where n.scope = m.scope and n.conversation = m.conversation and (n.at, n.arrival) ${isBeyond} (m.at, m.arrival)
      and ${joinConditions(contextConditions)}
    order by n.at ${order}, n.arrival ${order}
    limit ${sql.lit(distance)}`
}

export type ConversationMessage = MessageWords & {
  id: string
  /** In milliseconds. */
  at: number
  isFirst: boolean
  /** Whether its words count for the messages around it. */
  isContext: boolean
  /** Whether it may be an answer itself. */
  isAnswer: boolean
}

export type SurroundingsSearch = {
  /** Which messages count for those around them; on `records as r`. */
  contextConditions: Conditions
  /** How many messages are read on each side. */
  distance: number
  /** Which messages may be an answer; on `records as r`. */
  answerConditions: Conditions
  /** Conditions of the question on `contents as c`. */
  requirements: readonly RawBuilder<unknown>[]
}

/**
 * The messages that were found and those around them, each once, in the order of their conversations, with the words
 * that they contain. One text, because a driver needs longer for some hundred rows than the database. Each record is read
 * once, beside its message: a second look-up of each cost an eighth of the statement.
 */
export async function readWordsAround(
  db: Database,
  ids: readonly string[],
  words: readonly string[],
  { contextConditions, distance, answerConditions, requirements }: SurroundingsSearch,
): Promise<ConversationMessage[]> {
  const isAnswer = meetsAll(answerConditions)
  const side = { contextConditions, distance, columns: sql`, ${isAnswer} as is_answer` }
  const { rows } = await sql<{ messages: string | null }>`
    with match as materialized (
      select m.*, ${isAnswer} as is_answer
      from unnest(${ids}::uuid[]) as found (id) join messages as m on m.record_id = found.id
      join records as r on r.id = found.id
    ), message as materialized (
      select near.record_id, m.scope, m.conversation, near.at, near.arrival, bool_or(near.is_context) as is_context,
        bool_or(near.is_answer) as is_answer
      from match as m cross join lateral (
        select m.record_id, m.at, m.arrival, m.is_answer, false as is_context
        union all (select *, true from (${selectSide('before', side)}) as earlier)
        union all (select *, true from (${selectSide('after', side)}) as later)
      ) as near
      group by near.record_id, m.scope, m.conversation, near.at, near.arrival
    ), line as materialized (
      select concat_ws(' ', m.record_id, round(date_part('epoch', m.at) * 1000), c.words, m.is_context::int,
          case when c.speaker is null then 0 else dense_rank() over (order by c.speaker) end,
          ${asks}::int,
          coalesce(${sql.join([sql`m.is_answer`, ...requirements], sql` and `)}, false)::int,
          (lag(m.arrival) over (partition by m.scope, m.conversation order by m.at, m.arrival) is null)::int,
          ${selectCounts(words)}) as text,
        m.scope, m.conversation, m.at, m.arrival
      from message as m cross join lateral (
        select c.*, ${speakerName} as speaker from contents as c where c.record_id = m.record_id offset 0
      ) as c
    )
    select string_agg(text, ',' order by scope, conversation, at, arrival) as messages from line
  `.execute(db)
  const lines = rows[0]?.messages?.split(',') ?? []
  return lines.map((line) => readLine(line, words.length))
}

/** Most neighbours have none of the words. One condition finds that out, instead of one for each word. */
function selectCounts(words: readonly string[]) {
  if (words.length === 0) return sql`null`
  const counts = padPlaces(words).map((word, at) =>
    selectOccurrences(word, (count) => sql`${sql.lit(`${at}:`)} || ${count}`),
  )
  return sql`case when c.search @@ ${joinWords(words)}::tsquery then array_to_string(array[${sql.join(counts)}], ' ') end`
}

function readLine(line: string, places: number): ConversationMessage {
  const [id = '', at, words, isContext, speaker, asks, isAnswer, isFirst, ...occurring] = line.split(' ')
  const counts = new Array<number>(places).fill(0)
  for (const each of occurring) {
    const [place, count] = each.split(':')
    counts[Number(place)] = Number(count)
  }
  return {
    id,
    speaker: Number(speaker),
    counts,
    words: Number(words),
    at: Number(at),
    isContext: isContext === '1',
    asks: asks === '1',
    isAnswer: isAnswer === '1',
    isFirst: isFirst === '1',
  }
}
