import { type Kysely, sql } from 'kysely'

/**
 * Inputs of text relevance. Scope and type become words of the record that no text can contain (they have a space),
 * so one index answers "this common word in this small scope" without reading the matches of other scopes; `words` is
 * the length of the text. Rewrites `contents`, some thousand rows per statement, and locks it until the end, some
 * minutes for a million records: building its index again takes a tenth of the time of updating it row by row. The
 * words of older texts are taken from their index, without reading their payload: their identifiers are found by
 * their parts, but not by the parts of camel case.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index contents_search`.execute(db)
  await sql`alter table contents add column words integer not null default 0`.execute(db)
  await inBatches(db, (first, last) =>
    sql`
      update contents as c
      set words = coalesce((select sum(cardinality(positions)) from unnest(c.search)), 0),
        search = c.search || array_to_tsvector(array['scope ' || r.scope, 'type ' || r.type]) || array_to_tsvector((
          select coalesce(array_agg(distinct word), '{}')
          from unnest(tsvector_to_array(c.search)) as lexeme
          cross join lateral regexp_replace(lexeme, ${edges}, '', 'g') as identifier
          cross join lateral (
            select regexp_split_to_table(identifier, ${signs})
            union all select regexp_replace(identifier, ${signs}, 'zq', 'g') where length(identifier) <= ${longestWhole}
          ) as plain (part)
          cross join lateral unnest(part || coalesce(ts_lexize('english_stem', part), '{}')) as word
          where lexeme ~ ${signs} and word <> ''
        ))
      from records as r
      where r.id = c.record_id and c.record_id > ${first}::uuid and c.record_id <= ${last}::uuid
    `.execute(db),
  )
  await sql`create index contents_search on contents using gin (search)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index contents_search`.execute(db)
  await inBatches(db, (first, last) =>
    sql`
      update contents as c
      set search = ts_delete(c.search, array['scope ' || r.scope, 'type ' || r.type])
      from records as r
      where r.id = c.record_id and c.record_id > ${first}::uuid and c.record_id <= ${last}::uuid
    `.execute(db),
  )
  await sql`alter table contents drop column words`.execute(db)
  await sql`create index contents_search on contents using gin (search)`.execute(db)
}

const batch = 5_000

/** Longer words are found by their parts only: PostgreSQL refuses words over 2 KB. */
const longestWhole = 200

/**
 * Characters that join the parts of an identifier. They are listed, because a character class depends on the locale.
 */
const signs = '[-_./:@\\\\#+]+'
const edges = `^${signs}|${signs}$`

async function inBatches(
  db: Kysely<unknown>,
  change: (first: string, last: string) => Promise<unknown>,
): Promise<void> {
  for (let first = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await sql<{ last: string | null }>`
      select record_id as last from (
        select record_id from contents where record_id > ${first}::uuid order by record_id limit ${batch}
      ) as next order by record_id desc limit 1
    `.execute(db)
    const last = rows[0]?.last
    if (!last) return
    await change(first, last)
    first = last
  }
}
