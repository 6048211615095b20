import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { versionWord, writeScopeAndTypeWords } from '../../db/fragments/search-words.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { ExtractedWords } from '../../domain/words/word-extraction.ts'
import { askAnew } from './unembedded.queries.ts'

/** `outdated_texts` lists the records whose search text an earlier version computed. */

export async function hasOutdatedTexts(db: Database): Promise<boolean> {
  const { rows } = await sql<{ is_listed: boolean }>`
    select exists (select from outdated_texts) as is_listed
  `.execute(db)
  return rows[0]?.is_listed ?? false
}

type IdPage = { after: string | null; limit: number }

/** The next ids in order. Includes records that another worker has locked. */
export async function listOutdatedIds(db: Database, { after, limit }: IdPage): Promise<string[]> {
  const { rows } = await sql<{ record_id: string }>`
    select record_id from outdated_texts
    where ${after}::uuid is null or record_id > ${after}::uuid
    order by record_id
    limit ${limit}
  `.execute(db)
  return rows.map(({ record_id: id }) => id)
}

/**
 * Locks the records that no other writer has locked, and removes deleted records from the list. A client that changes
 * one of the records computes the new text itself.
 */
export async function lockOutdated(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with mine as materialized (
      select record_id from outdated_texts where record_id = any(${ids}::uuid[])
      order by record_id
      for update skip locked
    ), deleted as (
      delete from outdated_texts as o using mine
      where o.record_id = mine.record_id and not exists (select from records as r where r.id = mine.record_id)
    )
    select r.id from records as r where r.id in (select record_id from mine)
    order by r.id
    for no key update skip locked
  `.execute(tx)
  return rows.map(({ id }) => id)
}

export type OutdatedText = { record_id: string; payload: Payload; tags: string[] }

/** A statement of its own after the lock: one statement would read the contents as they were before it waited. */
export async function findOutdated(tx: Transaction, ids: readonly string[]): Promise<OutdatedText[]> {
  const { rows } = await sql<OutdatedText>`
    select record_id, payload, tags from contents
    where record_id = any(${ids}::uuid[])
  `.execute(tx)
  return rows
}

/**
 * Removes the records from the list. Where the text changes, writes it and queues the record for a new vector. Returns
 * the number of changed texts.
 */
export async function rewriteTexts(
  tx: Transaction,
  texts: readonly { id: string; words: ExtractedWords }[],
  { now, textLanguage }: { now: Date; textLanguage: string },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with made as materialized (
      select r.id, given.words,
        to_tsvector(${textLanguage}::text::regconfig, given.text) || ${writeScopeAndTypeWords(sql`r.scope`, sql`r.type`)} as search
      from unnest(
        ${texts.map(({ id }) => id)}::uuid[], ${texts.map(({ words }) => words.text)}::text[],
        ${texts.map(({ words }) => words.count)}::int4[]
      ) as given (id, text, words)
      join records as r on r.id = given.id
    ), rewritten as (
      update contents as c set search = made.search, words = made.words
      from made
      where c.record_id = made.id and made.search <> c.search || ${versionWord}
      returning c.record_id
    ), queued as (
      insert into unembedded (record_id, asked_at, due_at)
      select record_id, ${now}::timestamptz, ${now}::timestamptz from rewritten
      order by record_id
      ${askAnew}
    ), unlisted as (
      delete from outdated_texts as o using made where o.record_id = made.id
    )
    select count(*)::int4 as count from rewritten
  `.execute(tx)
  return rows[0]?.count ?? 0
}
