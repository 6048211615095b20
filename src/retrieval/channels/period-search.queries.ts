import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { type Conditions, joinConditions } from '../../db/fragments/conditions.ts'
import { timeColumns } from '../candidates/record-columns.queries.ts'
import { readStoredTime, type StoredTimes } from '../candidates/record-time.ts'
import type { Range } from '../question/periods/periods.ts'

type Ranges = readonly Range[]

const selectBounds = (ranges: Ranges, side: keyof Range) =>
  ranges.map((range) => new Date(range[side]).toISOString())

/** Only facts and episodes have a time of their own. Entities, skills and tasks have none. */
export function isDated(): RawBuilder<SqlBool> {
  return sql<SqlBool>`r.type in ('semantic', 'episodic')`
}

export type PeriodSearch = {
  ranges: Ranges
  /** On `records as r`. */
  conditions: Conditions
  scopes: readonly string[] | undefined
  limit: number
}

/** The messages of some periods. Each range is read from the index by time, the newest first. */
export async function findMessagesInPeriods(db: Database, search: PeriodSearch): Promise<string[]> {
  const { ranges, conditions, scopes, limit } = search
  const from = selectBounds(ranges, 'from')
  const until = selectBounds(ranges, 'until')
  const inScopes = scopes ? sql`and m.scope = any(${scopes}::text[])` : sql``
  const { rows } = await sql<{ id: string }>`
    select of_period.id
    from unnest(${from}::timestamptz[], ${until}::timestamptz[]) as range (from_time, until_time)
    cross join lateral (
      select r.id, m.at, m.arrival
      from messages as m join records as r on r.id = m.record_id
      where m.at >= range.from_time and m.at < range.until_time ${inScopes}
        and ${joinConditions(conditions)}
      order by m.at desc, m.arrival desc
      limit ${limit}
    ) as of_period
    order by of_period.at desc, of_period.arrival desc
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type DatedRecord = { id: string; importance: number; time: Date }

/** Reads when records happened or were stated. `offset 0` makes PostgreSQL look up each by its id. */
export async function findTimes(db: Database, ids: readonly string[]): Promise<DatedRecord[]> {
  const { rows } = await sql<{ id: string; importance: number } & StoredTimes>`
    select dated.*
    from unnest(${ids}::uuid[]) as candidate (id) cross join lateral (
      select r.id, r.importance, ${timeColumns}
      from records as r left join contents as c on c.record_id = r.id
      left join messages as m on r.type = 'episodic' and m.record_id = r.id
      where r.id = candidate.id
      offset 0
    ) as dated
  `.execute(db)
  return rows.map(({ id, importance, ...times }) => ({
    id,
    importance,
    time: new Date(readStoredTime(times)),
  }))
}
