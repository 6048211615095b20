import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

/** How many rows are kept of a run, at most `limit`. */
export async function countEffects(tx: Transaction, runId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ kept: number }>`
    select count(*) as kept from (select from run_effects where run_id = ${runId}::uuid limit ${limit}) as first
  `.execute(tx)
  return rows[0]?.kept ?? 0
}

/**
 * Takes what a batch of a dry run wrote, as one JSON text: the batch is rolled back, and the rows are stored after it. The next
 * batch of the same transaction begins without them.
 */
export async function readEffects(tx: Transaction, runId: string): Promise<string | undefined> {
  const { rows } = await sql<{ effects: string | null }>`
    with taken as (
      delete from run_effects where run_id = ${runId}::uuid and batch = pg_current_xact_id()
      returning id, record_id, relation, before, after
    )
    select json_agg(json_build_array(record_id, relation, before, after) order by id)::text as effects from taken
  `.execute(tx)
  return rows[0]?.effects ?? undefined
}

export async function insertEffects(tx: Transaction, runId: string, effects: string): Promise<void> {
  await sql`
    insert into run_effects (run_id, record_id, relation, before, after)
    select ${runId}::uuid, (row ->> 0)::uuid, row ->> 1, nullif(row -> 2, 'null'), nullif(row -> 3, 'null')
    from jsonb_array_elements(${effects}::jsonb) with ordinality as effect (row, place)
    order by place
  `.execute(tx)
}

/**
 * Notes the state of the sources from which a batch of a dry run created records, as an effect that changes nothing. By it the
 * run that applies the plan finds out whether a source has changed since.
 */
export async function noteSources(tx: Transaction, runId: string): Promise<void> {
  await sql`
    with noted as materialized (
      select record_id, relation, e.after as written from run_effects as e
      where run_id = ${runId}::uuid and batch = pg_current_xact_id() and relation in ('descents', 'records')
    ), state as (
      select r.id, jsonb_build_object('id', r.id, 'version', r.version, 'status', r.status, 'forgotten_at', r.forgotten_at) as row
      from records as r
      where r.id in (select (written ->> 'source_id')::uuid from noted where relation = 'descents')
        and r.id not in (select record_id from noted where relation = 'records')
    )
    insert into run_effects (run_id, record_id, relation, before, after)
    select ${runId}::uuid, id, 'records', row, row from state
  `.execute(tx)
}

/** Each batch extends the digest of the plan by the hash of what is kept of it. */
export async function extendDigest(tx: Transaction, planId: string, kept: string): Promise<void> {
  await sql`
    update plans set digest = encode(sha256(convert_to(digest || ${kept}, 'UTF8')), 'hex') where id = ${planId}::uuid
  `.execute(tx)
}

/**
 * Deletes some of the rows that a dry run kept, and returns how many. Changes of other runs may be at the same place
 * of another partition.
 */
export async function deleteDryRunRows(tx: Transaction, runId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with effect as (
      delete from run_effects
      where ctid = any(array(select ctid from run_effects where run_id = ${runId}::uuid limit ${limit}))
      returning 1
    ), change as (
      delete from maintenance_changes
      where run_id = ${runId}::uuid
        and ctid = any(array(select ctid from maintenance_changes where run_id = ${runId}::uuid limit ${limit}))
      returning 1
    )
    select (select count(*) from effect) + (select count(*) from change) as deleted
  `.execute(tx)
  return rows[0]?.deleted ?? 0
}

/** Sets the run back to its beginning. Only the time of its start stays. */
export async function resetRun(tx: Transaction, runId: string): Promise<void> {
  await sql`
    with plan as (
      update plans set digest = encode(sha256(convert_to(id::text, 'UTF8')), 'hex') where id = ${runId}::uuid
    ), summary as (
      delete from plan_groups where plan_id = ${runId}::uuid
    )
    update maintenance_runs set done = 0, total = null, stats = '{}', error = null where id = ${runId}::uuid
  `.execute(tx)
}
