import { type SqlBool, sql } from 'kysely'
import type { Database } from '../../../db/connection.ts'
import type { Conditions } from '../../../db/fragments/conditions.ts'
import { openTo } from '../../../db/fragments/visibility.ts'
import {
  type CheckedStates,
  checkedRecord,
  placesWhere,
  readPlaces,
  readStates,
  statesWhere,
} from '../../../db/memory/checked-records.ts'
import { type Changes, type ChangesRow, readChanges } from '../../../db/memory/learnt-changes.ts'
import { computeVersion, maxChanges, selectUnseen, viewNow } from '../../../db/memory/seen-changes.ts'
import type { Trust } from '../../../domain/trust/caller.ts'
import { unpackIds } from '../../../kernel/ids.ts'
import {
  asks,
  isOfAssistant,
  speakerName,
  statedDay,
  timeColumns,
  traitColumns,
} from '../../candidates/record-columns.queries.ts'
import { readStoredTime, type StoredTimes } from '../../candidates/record-time.ts'
import type { StoredText } from './stored-text.ts'

/**
 * One value for many texts, because a driver needs long for many rows: for each text its properties as JSON and its words as
 * bytes, each behind its length.
 */
const packed = sql`string_agg(int4send(octet_length(t.head)) || t.head || int4send(octet_length(t.body)) || t.body, ''::bytea)`

/** Joins the content and the place in a conversation to `records as r`. */
const joinText = sql`join contents as c on c.record_id = r.id left join messages as m on m.record_id = r.id`

const columns = sql`
  convert_to((select row_to_json(head) from (
    select r.id, json_build_array(${computeVersion(sql`c.changed`)}, ${computeVersion(sql`r.revealed`)}) as version, ${timeColumns}, r.scope, r.type, r.sensitivity,
      c.words, ${statedDay} as day,
      m.record_id is not null and ${asks} as asks,
      ${traitColumns},
      case when m.record_id is not null then json_build_object(
        'conversation', m.conversation, 'at', date_part('epoch', m.at) * 1000, 'arrival', m.arrival,
        'speaker', ${speakerName}, 'isOfAssistant', ${isOfAssistant}
      ) end as message
  ) as head)::text, 'UTF8') as head,
  tsvectorsend(c.search) as body
`

/**
 * Returns the texts of the next records that are not forgotten, in the order of their ids. They are looked up for a few records:
 * of all records behind `after` PostgreSQL would read texts and messages from the first one on.
 */
export async function readTexts(db: Database, after: string, limit: number): Promise<StoredText[]> {
  const { rows } = await sql<{ texts: Buffer | null }>`
    select ${packed} as texts from (
      select ${columns}
      from (
        select * from records where id > ${after}::uuid and forgotten_at is null order by id limit ${limit}
      ) as r ${joinText}
      order by r.id
    ) as t
  `.execute(db)
  return unpack(rows[0]?.texts)
}

/** Returns the ids of the next records that are not forgotten, in their order. */
export async function readUnforgottenIds(db: Database, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ ids: Buffer | null }>`
    select string_agg(uuid_send(id), ''::bytea order by id) as ids from (
      select id from records where id > ${after}::uuid and forgotten_at is null order by id limit ${limit}
    ) as r
  `.execute(db)
  return unpackIds(rows[0]?.ids)
}

export type TextCheck = {
  trust: Trust
  ids: readonly string[]
  /** Which of the records that the caller sees may be an answer; on `records as r`. */
  answerConditions: Conditions
  /** Which messages count for those around them; on `records as r`. */
  contextConditions: Conditions
  /** Where the states of those that may answer are read too. */
  states?: CheckedStates | undefined
  /** The snapshot of the memory. */
  snapshot: string
}

export type CheckedTexts = Changes<StoredText> & { answerIds: string[]; contextIds: string[] }

/**
 * Checks records that were found in memory, and reads what the memory does not know yet, both as of one instant. Conditions are
 * values of each row, so that PostgreSQL looks up each record by its id, once.
 */
export async function checkTexts(
  db: Database,
  { trust, ids, answerConditions, contextConditions, states, snapshot }: TextCheck,
): Promise<CheckedTexts> {
  const answers = [sql<SqlBool>`r.forgotten_at is null`, openTo(trust), ...answerConditions]
  const unseen = selectUnseen(snapshot, [
    { table: 'contents', id: 'record_id', changed: 'changed' },
    { table: 'records', id: 'id', changed: 'revealed' },
  ])
  const { rows } = await sql<ChangesRow & { answering: string | null; context: string | null }>`
    with checked as materialized (
      select asked.place, found.*
      from unnest(${ids}::uuid[]) with ordinality as asked (id, place)
      left join lateral (${checkedRecord({ answers, context: contextConditions }, states)}) as found on true
    ), unseen as materialized (${unseen}), counted as materialized (select count(*) as unseen from unseen)
    select ${statesWhere(sql`answers`)} as answering,
      ${placesWhere(sql`is_context`)} as context,
      ${placesWhere(sql`is_forgotten is not false`)} as gone,
      (
        select ${packed} from (
          select each.* from unseen as change cross join lateral (
            select ${columns} from records as r ${joinText}
            where r.id = change.record_id and r.forgotten_at is null
            offset 0
          ) as each
          where (select unseen from counted) <= ${sql.lit(maxChanges)}
        ) as t
      ) as changed,
      (select unseen from counted) as unseen, ${viewNow}
    from checked
  `.execute(db)
  const [answer] = rows
  return {
    ...readChanges(answer, ids, unpack),
    answerIds: readStates(answer?.answering, ids, states),
    contextIds: readPlaces(answer?.context, ids),
  }
}

type Head = Omit<StoredText, 'search' | 'time'> & StoredTimes

function unpack(bytes: Buffer | null | undefined): StoredText[] {
  const texts: StoredText[] = []
  for (let at = 0; bytes && at < bytes.length; ) {
    const head = readPart(bytes, at)
    const body = readPart(bytes, head.end)
    const { at: createdAt, happened_at, stated_at, ...known } = JSON.parse(head.part.toString()) as Head
    const time = readStoredTime({ at: createdAt, happened_at, stated_at })
    texts.push({ ...known, time, search: body.part })
    at = body.end
  }
  return texts
}

function readPart(bytes: Buffer, at: number): { part: Buffer; end: number } {
  const start = at + 4
  const end = start + bytes.readInt32BE(at)
  return { part: bytes.subarray(start, end), end }
}
