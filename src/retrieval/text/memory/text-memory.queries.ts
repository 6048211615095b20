import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { answersAsText, type CheckedStates, checkedRecord, readAnswers } from '../../../db/checked-records.ts'
import type { Database } from '../../../db/connection.ts'
import { selectUnseen, unknownView, type View, versionOf, viewNow } from '../../../db/seen-changes.ts'
import { openTo } from '../../../db/visibility.ts'
import type { Sensitivity, Trust } from '../../../domain/caller.ts'
import { statedDay } from '../../period-search.queries.ts'
import { findRecordTime } from '../../record-time.ts'
import { questionMark } from '../context.queries.ts'
import type { StoredText } from './stored-text.ts'

/**
 * One value for many texts, because a driver needs long for many rows: for each text its properties as JSON and its words as
 * bytes, each behind its length.
 */
const packed = sql`string_agg(int4send(octet_length(t.head)) || t.head || int4send(octet_length(t.body)) || t.body, ''::bytea)`

/** The texts `c` of records `r`; `m` is the message of one. */
const columns = sql`
  convert_to(json_build_array(
    r.id, ${versionOf('c.changed')}, round(date_part('epoch', coalesce(m.at, r.created_at)) * 1000),
    case when r.type = 'episodic' and m.record_id is null then c.payload #>> '{timeline,0,t}' end,
    case when r.type = 'semantic' then c.payload #>> '{evidence,0,timestamp}' end, r.scope, r.type, r.sensitivity, r.forgotten_at is not null, c.words, ${statedDay},
    case when m.record_id is not null then
      json_build_array(m.conversation, round(date_part('epoch', m.at) * 1000), m.arrival,
        coalesce(c.payload #>> '{timeline,0,summary}' ~ ${sql.lit(questionMark)}, false))
    end
  )::text, 'UTF8') as head,
  tsvectorsend(c.search) as body
`

/** Returns the texts of the next records in the order of their ids. */
export async function readTexts(db: Database, after: string, limit: number): Promise<StoredText[]> {
  const { rows } = await sql<{ texts: Buffer | null }>`
    select ${packed} as texts from (
      select ${columns}
      from contents as c join records as r on r.id = c.record_id left join messages as m on m.record_id = r.id
      where c.record_id > ${after}::uuid
      order by c.record_id
      limit ${limit}
    ) as t
  `.execute(db)
  return unpack(rows[0]?.texts)
}

export type TextCheck = {
  trust: Trust
  ids: readonly string[]
  /** Which of the records that the caller sees may be an answer; on `records as r`. */
  answering: readonly RawBuilder<SqlBool>[]
  /** Which messages may lend their words to their neighbours; on `records as r`. */
  lending: readonly RawBuilder<SqlBool>[]
  /** Where the states of those that may answer are read too. */
  states?: CheckedStates | undefined
  /** What the memory knows. */
  snapshot: string
  /** One more change than this is returned where there are more. */
  mostChanges: number
}

export type CheckedTexts = {
  answering: string[]
  lending: string[]
  /** The records that are no longer there. */
  gone: string[]
  /** The texts that were stored or changed since the snapshot. */
  changed: StoredText[]
  view: View
}

/**
 * Checks records that were found in memory, and reads what the memory does not know yet, both as of one instant. Conditions are
 * values of each row, so that PostgreSQL looks up each record by its id, once.
 */
export async function checkTexts(
  db: Database,
  { trust, ids, answering, lending, states, snapshot, mostChanges }: TextCheck,
): Promise<CheckedTexts> {
  const answers = [sql<SqlBool>`r.forgotten_at is null`, openTo(trust), ...answering]
  const unseen = selectUnseen({ snapshot, table: 'contents', most: mostChanges + 1 })
  const { rows } = await sql<{
    answering: string | null
    lending: string | null
    gone: string | null
    changed: Buffer | null
    snapshot: string
    timeline: number
  }>`
    with checked as materialized (
      select asked.place, found.*
      from unnest(${sql.val([...ids])}::uuid[]) with ordinality as asked (id, place)
      left join lateral (${checkedRecord({ answers, lends: lending }, states)}) as found on true
    )
    select ${answersAsText} as answering,
      string_agg(place::text, ',') filter (where lends) as lending,
      string_agg(place::text, ',') filter (where answers is null) as gone,
      (
        select ${packed} from (
          select each.* from (${unseen}) as change cross join lateral (
            select ${columns}
            from contents as c join records as r on r.id = c.record_id left join messages as m on m.record_id = r.id
            where c.record_id = change.record_id
            offset 0
          ) as each
        ) as t
      ) as changed,
      ${viewNow}
    from checked
  `.execute(db)
  const [answer] = rows
  const listed = (places: string | null | undefined) =>
    places?.split(',').flatMap((place) => ids[Number(place) - 1] ?? []) ?? []
  return {
    answering: readAnswers(answer?.answering, ids, states),
    lending: listed(answer?.lending),
    gone: listed(answer?.gone),
    changed: unpack(answer?.changed),
    view: answer ?? unknownView,
  }
}

type Head = [
  id: string,
  version: number,
  createdAt: number,
  happenedAt: string | null,
  statedAt: string | null,
  scope: string,
  type: string,
  sensitivity: Sensitivity,
  isForgotten: boolean,
  words: number,
  day: string,
  message: [conversation: string, at: number, arrival: number, asks: boolean] | null,
]

function unpack(bytes: Buffer | null | undefined): StoredText[] {
  const texts: StoredText[] = []
  for (let at = 0; bytes && at < bytes.length; ) {
    const head = partAt(bytes, at)
    const body = partAt(bytes, head.end)
    texts.push(readText(JSON.parse(head.part.toString()) as Head, body.part))
    at = body.end
  }
  return texts
}

function partAt(bytes: Buffer, at: number): { part: Buffer; end: number } {
  const start = at + 4
  const end = start + bytes.readInt32BE(at)
  return { part: bytes.subarray(start, end), end }
}

function readText(
  [
    id,
    version,
    createdAt,
    happenedAt,
    statedAt,
    scope,
    type,
    sensitivity,
    isForgotten,
    words,
    day,
    message,
  ]: Head,
  search: Buffer,
): StoredText {
  const [conversation = '', at = 0, arrival = 0, asks = false] = message ?? []
  const time = findRecordTime({ createdAt: new Date(createdAt), happenedAt, statedAt })
  return {
    ...{
      id,
      version,
      time: time === undefined ? createdAt : Date.parse(time),
      scope,
      type,
      sensitivity,
      isForgotten,
      words,
      day,
      search,
      asks,
    },
    message: message ? { conversation, at, arrival } : undefined,
  }
}
