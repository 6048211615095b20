import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import { unscoped } from '../../domain/trust/caller.ts'

type Fragment = RawBuilder<unknown>

const texts = (ids: readonly string[]) => sql`any(${ids}::text[])`
const body = sql`body::jsonb`
/** A tool of MCP answers with this member. Answers of earlier versions say the same in `content`, which no replay reads. */
const structured = sql`(${body} -> 'structuredContent')`

/**
 * Answers stored for idempotency contain whole records. An answer that is one record is deleted: when the request is
 * repeated it runs again and gets the error for erased content. This reads every stored answer, because an erase is rare
 * and a missed copy would stay.
 */
export async function deleteAnswersAbout(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    delete from idempotency_keys
    where ${body} ->> 'id' = ${texts(ids)} or ${body} -> 'record' ->> 'id' = ${texts(ids)}
      or ${body} -> 'primary_record' ->> 'id' = ${texts(ids)}
      or ${structured} ->> 'id' = ${texts(ids)} or ${structured} -> 'record' ->> 'id' = ${texts(ids)}
  `.execute(tx)
}

/** An answer about several records stays, without the erased ones: run again, the request would store the others twice. */
export async function removeFromBatchAnswers(tx: Transaction, ids: readonly string[]): Promise<void> {
  const isErased = sql`item -> 'record' ->> 'id' = ${texts(ids)}`
  await replaceItems(tx, 'results', isErased, sql`item - 'record' || '{"status": 410}'`)
}

/** The stored answer of a capture stays, without the erased records, for the same reason. */
export async function removeFromCaptureAnswers(tx: Transaction, ids: readonly string[]): Promise<void> {
  await replaceItems(tx, 'created_records', sql`item ->> 'id' = ${texts(ids)}`, sql`null`)
}

/** Kept records have changed, so stored answers keep only their id and version, as for a key that may not read. */
export async function reduceAnswersAbout(tx: Transaction, ids: readonly string[]): Promise<void> {
  const reduce = (answer: Fragment, member: string) =>
    sql`jsonb_set(${answer}, ${sql.lit(`{${member}}`)}, ${shorten(sql`(${answer} -> ${sql.lit(member)})`)})`
  await sql`
    update idempotency_keys
    set body = (case
      when ${body} ? 'payload' then ${shorten(body)}
      when ${body} ? 'record' then ${reduce(body, 'record')}
      when ${body} ? 'primary_record' then ${reduce(body, 'primary_record')}
      else jsonb_build_object('structuredContent', ${reduce(structured, 'record')}) end)::text
    where (${body} ->> 'id' = ${texts(ids)} and ${body} ? 'payload') or ${body} -> 'record' ->> 'id' = ${texts(ids)}
      or ${body} -> 'primary_record' ->> 'id' = ${texts(ids)} or ${structured} -> 'record' ->> 'id' = ${texts(ids)}
  `.execute(tx)
}

export async function reduceInBatchAnswers(tx: Transaction, ids: readonly string[]): Promise<void> {
  const isKept = sql`item -> 'record' ->> 'id' = ${texts(ids)}`
  const shortened = sql`jsonb_set(item, '{record}', ${shorten(sql`(item -> 'record')`)})`
  await replaceItems(tx, 'results', isKept, shortened)
}

export async function reduceInCaptureAnswers(tx: Transaction, ids: readonly string[]): Promise<void> {
  await replaceItems(tx, 'created_records', sql`item ->> 'id' = ${texts(ids)}`, shorten(sql`item`))
}

const figures = ['messages', 'speakers', 'first_at', 'last_at', 'updated_at']

export type ErasedMessages = {
  ids: readonly string[]
  conversations: readonly { scope: string; conversation: string }[]
}

const place = sql`(${body} -> 'conversation')`
const placeScope = sql`coalesce(${place} ->> 'scope', ${unscoped}::text)`

/** Whether an answer is about one of the erased messages, or about a conversation of one. */
function isAboutMessages({ ids, conversations }: ErasedMessages): Fragment {
  const names = conversations.map(({ conversation }) => conversation)
  const scopes = conversations.map(({ scope }) => scope)
  return sql`(
    exists (select from ${listItems('items')} as item where item ->> 'record_id' = ${texts(ids)})
    or exists (
      select from unnest(${names}::text[], ${scopes}::text[]) as erased (name, scope)
      where erased.name = ${place} ->> 'id' and erased.scope = ${placeScope}
    )
  )`
}

/** The name of a conversation goes with its last message: a client may name it after a person or a telephone number. */
export async function deleteConversationAnswers(tx: Transaction, erased: ErasedMessages): Promise<void> {
  await sql`
    delete from idempotency_keys
    where ${body} ? 'conversation' and ${isAboutMessages(erased)} and not exists (
      select from messages as m where m.scope = ${placeScope} and m.conversation = ${place} ->> 'id'
    )
  `.execute(tx)
}

/**
 * The answer to new messages names the speakers of the whole conversation. After an erase of one of its messages only its
 * place stays, as for a key that may not read.
 */
export async function reduceConversationAnswers(tx: Transaction, erased: ErasedMessages): Promise<void> {
  await sql`
    update idempotency_keys
    set body = jsonb_set(${body}, '{conversation}', ${place} - ${figures}::text[])::text
    where ${place} ? 'speakers' and ${isAboutMessages(erased)}
  `.execute(tx)
}

/** The id that a client gave to an erased message may be a word of it. The id of the record takes its place. */
export async function removeMessageIds(tx: Transaction, ids: readonly string[]): Promise<void> {
  const isNamed = sql`item ->> 'record_id' = ${texts(ids)} and item ->> 'message_id' <> item ->> 'record_id'`
  await replaceItems(tx, 'items', isNamed, sql`item || jsonb_build_object('message_id', item -> 'record_id')`)
}

function shorten(record: Fragment): Fragment {
  return sql`jsonb_build_object('id', ${record} -> 'id', 'version', ${record} -> 'version')`
}

function listItems(member: string): Fragment {
  const list = sql`${body} -> ${sql.lit(member)}`
  return sql`jsonb_array_elements(case when jsonb_typeof(${list}) = 'array' then ${list} end)`
}

/** Replaces each `item` of a list that is chosen; null removes it. */
async function replaceItems(
  tx: Transaction,
  member: 'results' | 'created_records' | 'items',
  isChosen: Fragment,
  replacement: Fragment,
): Promise<void> {
  await sql`
    update idempotency_keys
    set body = jsonb_set(${body}, ${sql.lit(`{${member}}`)}, (
      select coalesce(jsonb_agg(kept order by place) filter (where kept is not null), '[]')
      from ${listItems(member)} with ordinality as each (item, place)
      cross join lateral (select case when ${isChosen} then ${replacement} else item end as kept) as replaced
    ))::text
    where exists (select from ${listItems(member)} as item where ${isChosen})
  `.execute(tx)
}
