import { sql } from 'kysely'
import type { Database } from '../../../db/connection.ts'
import { selectPages } from '../../../db/fragments/table-size.ts'
import { openTo } from '../../../db/fragments/visibility.ts'
import type { Trust } from '../../../domain/trust/caller.ts'
import type { StoreSize, WordStatistics } from './word-statistics.ts'

/**
 * Reads a sample of the pages of the table, all pages of a small one. The result is stable while nothing changes, and
 * correct for a store that was just filled, for which PostgreSQL has no statistics yet.
 */
export async function readWordStatistics(db: Database): Promise<WordStatistics> {
  const { rows } = await sql<{ rows: number; average: number; sampled: number; words: [string, number][] }>`
    with portion as materialized (
      select least(100, ${100 * sampledPages}::float8 / greatest(1, ${selectPages('contents')})) as percent
    ), sample as materialized (
      select c.words, c.search
      from contents as c tablesample system ((select percent from portion)) repeatable (0)
    ), word as (
      select word, count(*) as count from sample, unnest(tsvector_to_array(search)) as word
      group by word having count(*) > 1
    ), middle as (
      select percentile_disc(0.5) within group (order by words) as words from sample
    )
    select count(*) as sampled, count(*) * 100 / (select percent from portion) as rows,
      coalesce(avg(least(sample.words, ${longest} * greatest(1, middle.words))), 1)::float8 as average,
      (select coalesce(json_agg(json_build_array(word, count)), '[]') from word) as words
    from sample cross join middle
  `.execute(db)
  const [found] = rows
  return {
    rows: found?.rows ?? 0,
    averageLength: Math.max(1, found?.average ?? 1),
    sampled: found?.sampled ?? 0,
    counts: new Map(found?.words ?? []),
  }
}

/** 8 MB of the table: some thousand records. Their mean length differs by a few percent from that of all. */
const sampledPages = 1_024

/** A text counts as at most eight of median length: a single one must not move the mean of the others. */
const longest = sql.lit(8)

/**
 * Returns how many records the caller sees and the mean length of their texts. Reads all of them, so it is for a
 * small store.
 */
export async function measureVisible(db: Database, trust: Trust): Promise<StoreSize> {
  const { rows } = await sql<{ rows: number; average: number }>`
    select count(*) as rows, coalesce(avg(c.words), 1)::float8 as average
    from contents as c join records as r on r.id = c.record_id
    where r.forgotten_at is null and ${openTo(trust)}
  `.execute(db)
  return { rows: rows[0]?.rows ?? 0, averageLength: Math.max(1, rows[0]?.average ?? 1) }
}

/** Counts the records that the caller sees with each of the words. Reads all of them, so it is for a small store. */
export async function countVisible(
  db: Database,
  trust: Trust,
  words: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ word: string; count: number }>`
    select word, count(*)::int4 as count
    from contents as c join records as r on r.id = c.record_id cross join unnest(tsvector_to_array(c.search)) as word
    where r.forgotten_at is null and ${openTo(trust)} and word = any(${words}::text[])
    group by word
  `.execute(db)
  return new Map(rows.map(({ word, count }) => [word, count]))
}

/** Returns the size of the searched table in pages. */
export async function countPages(db: Database): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select ${selectPages('contents')} as pages
  `.execute(db)
  return rows[0]?.pages ?? 0
}
