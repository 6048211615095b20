import { type Kysely, sql } from 'kysely'

/**
 * What relevance is counted from. Where a record belongs and what type it has become words of it that no text can
 * hold (they contain a space), so one index answers "this common word in this small scope" without passing
 * over the matches of everybody else; `words` is how long its text is.
 *
 * Rewrites `contents`, some thousand rows to a statement, and locks it until it is done, some minutes for a
 * million records: its index is built anew afterwards, which takes a tenth of the time that keeping it up to date
 * row by row does. The words of a text stored before are taken from those it was indexed by, without reading its
 * payload again: its identifiers are found by their parts, if not by the humps in them.
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

/** What is longer is found by its parts alone: PostgreSQL refuses words over 2 KB. */
const longestWhole = 200

/** What joins the parts of an identifier. Spelt out: what a class of characters means depends on the locale. */
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
