import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { openTo } from '../db/fragments/visibility.ts'
import type { RecordType } from '../db/schema.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Trust } from '../domain/trust/caller.ts'
import { dayMs, subtractMilliseconds } from '../kernel/units.ts'
import { snapshotColumns } from '../records/index.ts'

/** Whether the store has forgotten records. The order makes PostgreSQL read the first one from the index of `purge_at`. */
export async function isAnyForgotten(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from records where purge_at is not null order by purge_at limit 1
  `.execute(db)
  return rows.length > 0
}

/**
 * Notes the forgotten ones among the records. A record that is being purged, erased or restored is skipped. The
 * count of a record that was restored and forgotten again starts anew.
 */
export async function insertRegrets(tx: Transaction, ids: readonly string[], at: Date): Promise<void> {
  await sql`
    with forgotten as materialized (
      select r.id, r.forgotten_at, r.forgotten_reason, r.forgotten_run_id from records as r
      where r.id = any(${ids}::uuid[]) and r.forgotten_at is not null
      order by r.id
      for key share skip locked
    )
    insert into regrets as g (record_id, forgotten_at, reason, run_id, first_at, last_at, times)
    select id, forgotten_at, forgotten_reason, forgotten_run_id, ${at}::timestamptz, ${at}::timestamptz, 1
    from forgotten order by id
    on conflict (record_id) do update set
      forgotten_at = excluded.forgotten_at, reason = excluded.reason, run_id = excluded.run_id,
      first_at = case when g.forgotten_at = excluded.forgotten_at then g.first_at else excluded.first_at end,
      last_at = case when g.forgotten_at = excluded.forgotten_at
        then greatest(g.last_at, excluded.last_at) else excluded.last_at end,
      times = case when g.forgotten_at = excluded.forgotten_at then g.times + 1 else 1 end
  `.execute(tx)
}

export type Position = { last_at: string; record_id: string }
export type RegretFilters = { scope?: string; reason?: string }

type RegretsPage = {
  filters: RegretFilters
  trust: Trust
  now: Date
  after: Position | undefined
  limit: number
}

export type RegretRow = Awaited<ReturnType<typeof listRegrets>>[number]

/** The last regretted first. A record that was restored, or can no longer be restored, is not listed. */
export async function listRegrets(
  db: Database,
  { filters: { scope, reason }, trust, now, after, limit }: RegretsPage,
) {
  return db
    .selectFrom('regrets as g')
    .innerJoin('records as r', (join) =>
      join.onRef('r.id', '=', 'g.record_id').onRef('r.forgotten_at', '=', 'g.forgotten_at'),
    )
    .where('r.purge_at', '>', now)
    .where(openTo(trust))
    .$if(scope !== undefined, (qb) => qb.where('r.scope', '=', scope ?? ''))
    .$if(reason !== undefined, (qb) => qb.where('g.reason', '=', reason ?? ''))
    .$if(after !== undefined, (qb) =>
      qb.where(
        sql<SqlBool>`(g.last_at, g.record_id) < (${after?.last_at}::timestamptz, ${after?.record_id}::uuid)`,
      ),
    )
    .select(['g.record_id', 'r.type', 'r.scope', 'g.reason', 'g.run_id', 'g.last_at', 'g.times'])
    .select('g.forgotten_at as since')
    .select(snapshotColumns.map((name) => `r.${name}` as const))
    .orderBy('g.last_at', 'desc')
    .orderBy('g.record_id', 'desc')
    .limit(limit)
    .execute()
}

export type RegretGroup = {
  reason: string
  type: RecordType
  age: string
  forgotten: number
  regretted: number
}

/** The most records by which forgetting is judged: those that are purged last. */
const maxJudged = 100_000

/**
 * How many records were forgotten and how many of them were regretted, by reason, type and age at the forgetting. It counts those
 * that are still forgotten, and those that were restored after a regret.
 */
export async function measureRegret(db: Database, trust: Trust): Promise<RegretGroup[]> {
  const { rows } = await sql<RegretGroup>`
    with judged as materialized (
      select r.type, f.reason, f.forgotten_at - r.created_at as age, f.is_regretted
      from (
        select r.id, r.forgotten_reason as reason, r.forgotten_at, g.record_id is not null as is_regretted
        from (
          select r.id, r.forgotten_reason, r.forgotten_at from records as r
          where r.purge_at is not null and ${openTo(trust)}
          order by r.purge_at desc
          limit ${sql.lit(maxJudged)}
        ) as r
        left join regrets as g on g.record_id = r.id and g.forgotten_at = r.forgotten_at
        union all
        select g.record_id, g.reason, g.forgotten_at, true
        from regrets as g join records as r on r.id = g.record_id
        where r.forgotten_at is distinct from g.forgotten_at and ${openTo(trust)}
      ) as f
      join records as r on r.id = f.id
    )
    select reason, type, ${selectBand(sql`age`)} as age, count(*) as forgotten,
      count(*) filter (where is_regretted) as regretted
    from judged
    group by reason, type, ${selectBand(sql`age`)}
    order by 1, 2, 3
  `.execute(db)
  return rows
}

/** How old a record was when it was forgotten, in bands: the upper limit in days, and the name in the metrics. */
const ageBands = [
  [1, 'under_1d'],
  [7, '1d_to_7d'],
  [30, '7d_to_30d'],
  [90, '30d_to_90d'],
] as const
const oldestBand = 'over_90d'

function selectBand(age: RawBuilder<unknown>): RawBuilder<string> {
  const cases = ageBands.map(
    ([days, name]) => sql`when ${age} < ${sql.lit(`${days} days`)}::interval then ${sql.lit(name)}`,
  )
  return sql<string>`case ${sql.join(cases, sql` `)} else ${sql.lit(oldestBand)} end`
}

const keptForMs = 90 * dayMs

/**
 * Deletes regrets that are old, of records that were restored. Those of forgotten records go with the record when it is
 * purged or erased. Returns how many; at most `limit`.
 */
export async function deleteOldRegrets(db: Database, now: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with old as materialized (
      select g.record_id from regrets as g join records as r on r.id = g.record_id
      where g.last_at <= ${subtractMilliseconds(now, keptForMs)}::timestamptz and r.forgotten_at is null
      order by g.last_at
      limit ${limit}
      for update of g skip locked
    ), gone as (
      delete from regrets as g using old where g.record_id = old.record_id returning g.record_id
    )
    select count(*) as deleted from gone
  `.execute(db)
  return rows[0]?.deleted ?? 0
}
