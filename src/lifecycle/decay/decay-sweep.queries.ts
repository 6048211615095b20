import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { decayActor, prunedRationale } from '../../db/fragments/lifecycle/forgetting.ts'
import { computeSalienceAt } from '../../db/fragments/lifecycle/salience.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Range } from '../../jobs/runs/ranges.queries.ts'
import type { Position } from '../../jobs/runs/run-walk.ts'

/** The statements of the sweep read `records` under its own name. */
const scopeColumn = sql`scope`

type SweepBatch = { scope: string | null; after: Position; limit: number }
/** How many rows were written, and the last of those that were due. */
type Swept = { written: number; last: Position | undefined }

/** The stored salience is too far off. */
function isFading(asOf: Date): RawBuilder<unknown> {
  return sql`fades_at <= ${countSeconds(asOf)}::float8`
}

function isFaded({ now }: SweepInstants): RawBuilder<unknown> {
  return sql`prune_at <= ${now}::timestamptz and forgotten_at is null and status in ('active', 'challenged')`
}

/** A revision replaced the record, and its retention is over. The revision set `anchored_at`. */
function isRevised({ now, revisedBefore }: SweepInstants): RawBuilder<unknown> {
  return sql`prune_at <= ${now}::timestamptz and anchored_at <= ${revisedBefore}::timestamptz
    and forgotten_at is null and status in ('invalidated', 'merged', 'superseded')`
}

/** Counts the due records. With nothing due it costs two index probes. */
export async function countDue(
  db: Database,
  { asOf, scope, ...instants }: SweepInstants & { asOf: Date; scope: string | null },
): Promise<{ fading: number; faded: number }> {
  const inScope = restrictToScope(scope, scopeColumn)
  const { rows } = await sql<{ fading: number; faded: number }>`
    select (select count(*) from records where ${isFading(asOf)} ${inScope}) as fading,
      (select count(*) from records where ${isFaded(instants)} ${inScope})
      + (select count(*) from records where ${isRevised(instants)} ${inScope}) as faded
  `.execute(db)
  return rows[0] ?? { fading: 0, faded: 0 }
}

/** Updates the stored salience in a range of pages to its value at `asOf`, where it is too far off. */
export async function materialiseRange(tx: Transaction, asOf: Date, range: Range): Promise<number> {
  const { rows } = await sql<{ written: number }>`
    with due as materialized (
      select ctid from records
      where ctid >= ${`(${range.first_block},0)`}::tid and ctid < ${`(${range.end_block},0)`}::tid
        and ${isFading(asOf)}
      for no key update skip locked
    ), written as (
      update records as r set salience = ${computeSalienceAt(asOf)}
      from due where r.ctid = due.ctid
      returning r.id
    )
    select count(*) as written from written
  `.execute(tx)
  return rows[0]?.written ?? 0
}

/** Writes the salience of the next due records. It finds them by index, for a store where few are due. */
export async function materialiseNext(
  tx: Transaction,
  { asOf, scope, after, limit }: SweepBatch & { asOf: Date },
): Promise<Swept> {
  const { rows } = await sql<{ written: number; at: string; id: string }>`
    with due as materialized (
      select id, fades_at from records
      where ${isFading(asOf)}
        and (fades_at, id) > (${after.at}::float8, ${after.id}::uuid) ${restrictToScope(scope, scopeColumn)}
      order by fades_at, id
      limit ${limit}
      for no key update skip locked
    ), written as (
      update records as r set salience = ${computeSalienceAt(asOf)}
      from due where r.id = due.id
      returning r.id
    )
    select (select count(*) from written) as written, fades_at::text as at, id
    from due order by fades_at desc, id desc limit 1
  `.execute(tx)
  return toSwept(rows[0])
}

export type SweepInstants = { now: Date; revisedBefore: Date }
type PruneInput = SweepInstants & SweepBatch & { purgeAt: Date; runId: string }
export type Pruned = { id: string; salience: number; version: number }

/**
 * Forgets the next records that have faded away, and writes their audit entries and the changes of the run in the
 * same statement.
 */
export async function pruneFaded(
  tx: Transaction,
  pruning: PruneInput,
): Promise<Swept & { pruned: Pruned[] }> {
  return prune(tx, pruning, selectDue(sql`prune_at`, isFaded(pruning), pruning))
}

/** Forgets records that a revision replaced, when their retention is over. */
export async function pruneRevised(
  tx: Transaction,
  pruning: PruneInput,
): Promise<Swept & { pruned: Pruned[] }> {
  return prune(tx, pruning, selectDue(sql`anchored_at`, isRevised(pruning), pruning))
}

/** The next records that are due, in the order of a key. */
function selectDue(
  key: RawBuilder<unknown>,
  isDue: RawBuilder<unknown>,
  { after, scope, limit }: SweepBatch,
): RawBuilder<unknown> {
  return sql`
      select id, ${key} as at from records
      where ${isDue}
        and (${key}, id) > (${after.at}::timestamptz, ${after.id}::uuid)
        ${restrictToScope(scope, scopeColumn)}
      order by ${key}, id
      limit ${limit}
      for no key update skip locked
    `
}

async function prune(tx: Transaction, { now, purgeAt, runId }: PruneInput, due: RawBuilder<unknown>) {
  const { rows } = await sql<Pruned & { at: string }>`
    with due as materialized (${due}), pruned as (
      update records as r
      set forgotten_at = ${now}::timestamptz, forgotten_reason = 'pruned', forgotten_by = ${decayActor},
        forgotten_run_id = ${runId}::uuid, purge_at = ${purgeAt}::timestamptz
      from due where r.id = due.id
      returning r.id, due.at, ${computeSalienceAt(now)} as salience, r.version
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale)
      select id, ${runId}::uuid, ${now}::timestamptz, 'delete', ${decayActor}, ${prunedRationale}
      from pruned
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select ${runId}::uuid, id, 'prune', jsonb_build_object('salience', salience),
        ${JSON.stringify({ forgotten_at: now, purge_at: purgeAt })}::jsonb
      from pruned
      on conflict (run_id, record_id, action) do nothing
    )
    select id, at::text as at, salience, version from pruned order by pruned.at, id
  `.execute(tx)
  const pruned = rows.map(({ id, salience, version }) => ({ id, salience, version }))
  const last = rows.at(-1)
  return { ...toSwept(last && { ...last, written: rows.length }), pruned }
}

export type SweepPart = 'fading' | 'faded' | 'revised'

/** Finds the record at which a failing batch stopped. */
export async function findNextPosition(
  tx: Transaction,
  part: SweepPart,
  { asOf, scope, after, ...instants }: SweepInstants & { asOf: Date; scope: string | null; after: Position },
): Promise<Position | undefined> {
  const key = { fading: sql`fades_at`, faded: sql`prune_at`, revised: sql`anchored_at` }[part]
  const due = {
    fading: sql`${isFading(asOf)} and (fades_at, id) > (${after.at}::float8, ${after.id}::uuid)`,
    faded: sql`${isFaded(instants)} and (prune_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`,
    revised: sql`${isRevised(instants)} and (anchored_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`,
  }[part]
  const { rows } = await sql<Position>`
    select ${key}::text as at, id from records where ${due} ${restrictToScope(scope, scopeColumn)}
    order by ${key}, id
    limit 1
    for no key update skip locked
  `.execute(tx)
  return rows[0]
}

function countSeconds(instant: Date): number {
  return instant.getTime() / 1_000
}

function toSwept(row: { written: number; at: string; id: string } | undefined): Swept {
  return { written: row?.written ?? 0, last: row && { at: row.at, id: row.id } }
}
