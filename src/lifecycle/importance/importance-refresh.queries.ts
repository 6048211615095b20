import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import { selectPages } from '../../db/fragments/table-size.ts'
import type { Transaction } from '../../db/transaction.ts'
import { importanceTolerance } from '../../domain/importance/importance.ts'
import type { Range } from '../../jobs/runs/ranges.queries.ts'
import { computeImportance } from './importance.queries.ts'

type Fragment = RawBuilder<unknown>

export async function countRefreshable(
  db: Database,
  scope: string | null,
): Promise<{ records: number; blocks: number }> {
  const { rows } = await sql<{ records: number; blocks: number }>`
    select count(*) as records,
      ${selectPages('records')} + 1 as blocks
    from records as r
    where ${isRefreshable(scope)}
  `.execute(db)
  return rows[0] ?? { records: 0, blocks: 0 }
}

export async function listRefreshable(
  tx: Transaction,
  range: Range,
  scope: string | null,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from records as r where ${isIn(range)} and ${isRefreshable(scope)} order by r.id
  `.execute(tx)
  return rows.map(({ id }) => id)
}

export type RefreshInput = { part: Range | { id: string }; scope: string | null; now: Date; runId: string }
export type RefreshResult = { seen: number; moved: number }

/**
 * Scores a part of the table and writes the scores that are too far off, with their history. Unchanged rows are not
 * locked, because a lock writes the page. Rows that another transaction holds or has changed since the score are
 * skipped: that transaction scores them itself.
 */
export async function refreshScores(
  tx: Transaction,
  { part, scope, now, runId }: RefreshInput,
): Promise<RefreshResult> {
  const { join, importance } = computeImportance(now)
  const here = 'id' in part ? sql`r.id = ${part.id}::uuid` : isIn(part)
  const { rows } = await sql<RefreshResult>`
    with scored as materialized (
      select r.id, r.ctid as place, r.xmin as writer, r.importance as old, ${importance} as new
      from records as r ${join}
      where ${here} and ${isRefreshable(scope)}
    ), due as materialized (
      select r.ctid, s.id, s.old, s.new
      from scored as s
      join records as r on r.ctid = s.place
      where ${here} and r.xmin = s.writer and abs(s.new - s.old) > ${sql.lit(importanceTolerance)}::float8
      for no key update of r skip locked
    ), moved as (
      update records as r set importance = due.new
      from due where r.ctid = due.ctid
      returning r.id, due.old, due.new
    ), logged as (
      insert into importance_history (record_id, old, new, at, run_id)
      select id, old, new, ${now}::timestamptz, ${runId}::uuid from moved
    )
    select (select count(*) from scored) as seen, (select count(*) from moved) as moved
  `.execute(tx)
  return rows[0] ?? { seen: 0, moved: 0 }
}

/**
 * A pinned record keeps its importance until it is used or changed, and a forgotten one until it is restored.
 */
function isRefreshable(scope: string | null): Fragment {
  return sql`r.forgotten_at is null and not r.pinned ${restrictToScope(scope)}`
}

function isIn({ first_block: first, end_block: end }: Range): Fragment {
  return sql`r.ctid >= ${`(${first},0)`}::tid and r.ctid < ${`(${end},0)`}::tid`
}
