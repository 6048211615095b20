import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { computeSalienceAt } from '../db/fragments/lifecycle/salience.ts'
import { openTo } from '../db/fragments/visibility.ts'
import type { Status } from '../domain/schemas/vocabulary.ts'
import type { Trust } from '../domain/trust/caller.ts'

/** The largest summand, so that no sum overflows: an earlier version stored values up to the largest double. */
const largest = sql.lit(Number.MAX_SAFE_INTEGER)

export type CountRow = { type: string; status: Status; layer: string; pinned: boolean; records: number }

/** One parallel scan of the narrow table, with one addition per row. */
export async function countRecords(db: Database, trust: Trust): Promise<CountRow[]> {
  const { rows } = await sql<CountRow>`
    select type, status, layer, pinned, count(*) as records from records as r
    where forgotten_at is null and ${openTo(trust)}
    group by type, status, layer, pinned
  `.execute(db)
  return rows
}

/** `day` counts periods of 24 hours, the first is 0. */
export type DayRow = { day: number; records: number }

/** Uses the index on created_at: in an old store few records are new. */
export async function countCreated(
  db: Database,
  trust: Trust,
  { since, days }: { since: Date; days: number },
): Promise<DayRow[]> {
  const { rows } = await sql<DayRow>`
    select least(floor(date_part('epoch', created_at - ${since}::timestamptz) / 86400), ${days} - 1)::int4 as day,
      count(*) as records
    from records as r
    where forgotten_at is null and created_at > ${since}::timestamptz and ${openTo(trust)}
    group by day
  `.execute(db)
  return rows
}

/** Uses the index of the decay sweep. Records that are due already and not yet forgotten belong to the first day. */
export async function countFading(
  db: Database,
  trust: Trust,
  { now, until }: { now: Date; until: Date },
): Promise<DayRow[]> {
  const { rows } = await sql<DayRow>`
    select floor(greatest(0, date_part('epoch', prune_at - ${now}::timestamptz)) / 86400)::int4 as day, count(*) as records
    from records as r
    where prune_at is not null and forgotten_at is null and status in ('active', 'challenged')
      and prune_at < ${until}::timestamptz and ${openTo(trust)}
    group by day
  `.execute(db)
  return rows
}

export type SampleRow = {
  records: number
  entries: number
  salience: number | null
  confidence: number | null
  accesses: number | null
  served: number | null
  bands: number[]
  importance_bands: number[]
  successes: number | null
  failures: number | null
  plans: number
  executions: number | null
}

/**
 * Figures that cost more per record than counting: sums, exact salience, log entries, payloads. They are read for
 * every record, or for those on `percent` of the pages of the table.
 */
export async function drawSample(
  db: Database,
  trust: Trust,
  { now, percent }: { now: Date; percent: number },
): Promise<SampleRow> {
  const some = percent < 100 ? sql`tablesample system (${percent}::float4)` : sql``
  const { rows } = await sql<SampleRow>`
    with sample as materialized (
      select r.id, r.type, r.confidence, r.access_count, r.served_count, r.importance, ${computeSalienceAt(now)} as salience
      from records as r ${some}
      where r.forgotten_at is null and ${openTo(trust)}
    ), said as materialized (
      select sample.type, c.payload from sample join contents as c on c.record_id = sample.id
      where sample.type in ('competence', 'plan_graph')
    )
    select count(*) as records, sum(least(salience, ${largest})) as salience, sum(confidence) as confidence,
      sum(access_count) as accesses, sum(served_count) as served,
      array[
        count(*) filter (where salience < 0.2),
        count(*) filter (where salience >= 0.2 and salience < 0.4),
        count(*) filter (where salience >= 0.4 and salience < 0.6),
        count(*) filter (where salience >= 0.6 and salience < 0.8),
        count(*) filter (where salience >= 0.8)
      ]::int4[] as bands,
      array[
        count(*) filter (where importance < 0.2),
        count(*) filter (where importance >= 0.2 and importance < 0.4),
        count(*) filter (where importance >= 0.4 and importance < 0.6),
        count(*) filter (where importance >= 0.6 and importance < 0.8),
        count(*) filter (where importance >= 0.8)
      ]::int4[] as importance_bands,
      (select count(*) from sample join audit_entries as a on a.record_id = sample.id) as entries,
      (select sum(least(coalesce((payload #>> '{performance,success_count}')::float8, 0), ${largest})) from said where type = 'competence')
        as successes,
      (select sum(least(coalesce((payload #>> '{performance,failure_count}')::float8, 0), ${largest})) from said where type = 'competence')
        as failures,
      (select count(*) from said where type = 'plan_graph') as plans,
      (select sum(least(coalesce((payload #>> '{metrics,execution_count}')::float8, 0), ${largest})) from said where type = 'plan_graph')
        as executions
    from sample
  `.execute(db)
  const [row] = rows
  if (!row) throw new TypeError('an aggregate without a row')
  return row
}
