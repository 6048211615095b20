import { sql } from 'kysely'
import { computeDayOfLife, startOfDay } from '../../db/fragments/lifecycle/record-days.ts'
import type { Transaction } from '../../db/transaction.ts'
import { recentAccesses } from '../../domain/importance/access-weights.ts'

/**
 * Finds and locks the next records with accesses that can be folded. The lock keeps new accesses out meanwhile.
 */
export async function claimFoldable(
  tx: Transaction,
  { before, after, limit }: { before: Date; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from records as r
    where r.id > ${after}::uuid and r.access_count > ${sql.lit(recentAccesses)}
      and ${computeDayOfLife(sql`(select min(l.at) from access_log as l where l.record_id = r.id)`)}
        < ${computeDayOfLife(sql`${before}::timestamptz`)}
      and exists (
        select from access_log as l where l.record_id = r.id offset ${sql.lit(recentAccesses)} limit 1
      )
    order by r.id
    limit ${limit}
    for no key update skip locked
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/**
 * Deletes the old accesses of claimed records, oldest first, and returns their number. An access is old when its whole
 * day ended before `before` and it is not among the newest, which importance sums one by one. A day without remaining
 * accesses is added to the count of folded days.
 */
export async function foldOldest(
  tx: Transaction,
  { ids, before, limit }: { ids: readonly string[]; before: Date; limit: number },
): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with due as materialized (
      select old.place, r.id, ${computeDayOfLife(sql`old.at`)} as day
      from records as r
      cross join lateral (
        select l.at from access_log as l where l.record_id = r.id
        order by l.at desc, l.kind
        offset ${sql.lit(recentAccesses - 1)} limit 1
      ) as kept
      cross join lateral (
        select l.ctid as place, l.at from access_log as l
        where l.record_id = r.id and l.at < kept.at
          and ${computeDayOfLife(sql`l.at`)} < ${computeDayOfLife(sql`${before}::timestamptz`)}
        order by l.at
        limit ${limit}
      ) as old
      where r.id = any(${ids}::uuid[])
      limit ${limit}
    ), deleted as (
      delete from access_log as l using due where l.ctid = due.place
    ), emptied as (
      select r.id, d.day
      from (select id, day, count(*) as gone from due group by id, day) as d
      join records as r on r.id = d.id
      where d.gone = (
        select count(*) from access_log as l
        where l.record_id = r.id and l.at < ${startOfDay(sql`(d.day + 1)`)}
          and (d.day = 0 or l.at >= ${startOfDay(sql`d.day`)})
      )
    ), folded as (
      insert into access_folds as f (record_id, days)
      select id, count(*) from emptied group by id
      on conflict (record_id) do update set days = f.days + excluded.days
    )
    select count(*) as folded from due
  `.execute(tx)
  return rows[0]?.folded ?? 0
}
