import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { lockHandle } from '../db/fragments/lock-keys.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Payload } from '../domain/payloads/payloads.ts'
import type { Via } from '../domain/trust/caller.ts'
import { type Effect, keys, notedColumns, type Row, type SavedEffect, unpack } from './effect.ts'
import type { Entry } from './taken-back.ts'

/** The batches of a run, in the order in which they were written. */
export async function listBatches(db: Database, runId: string): Promise<string[]> {
  const { rows } = await sql<{ batch: string }>`
    select batch::text as batch from run_effects where run_id = ${runId}::uuid group by batch order by min(id)
  `.execute(db)
  return rows.map(({ batch }) => batch)
}

export async function listEffects(tx: Transaction, runId: string, batch: string): Promise<Effect[]> {
  const { rows } = await sql<SavedEffect>`
    select record_id as owner, relation, before, after, others from run_effects
    where run_id = ${runId}::uuid and batch = ${batch}::xid8
    order by id
  `.execute(tx)
  return rows.flatMap(unpack)
}

const table = (relation: string) => sql.table(relation)
const isKey = (relation: string) =>
  sql.join(
    (keys[relation] ?? []).map((column) => sql`t.${sql.ref(column)} = k.${sql.ref(column)}`),
    sql` and `,
  )

/** Locks the rows of a table with these keys, and returns what they hold now. Records are locked in the order of their ids. */
export async function lockRows(tx: Transaction, relation: string, requested: readonly Row[]): Promise<Row[]> {
  const { rows } = await sql<{ row: Row }>`
    select to_jsonb(t) as row
    from jsonb_populate_recordset(null::${table(relation)}, ${JSON.stringify(requested)}::jsonb) as k
    join ${table(relation)} as t on ${isKey(relation)}
    order by ${sql.join((keys[relation] ?? []).map((column) => sql`t.${sql.ref(column)}`))}
    for update of t
  `.execute(tx)
  return rows.map(({ row }) => row)
}

/** The columns of a table that a statement may set. The database notes the others itself. */
export async function listColumns(tx: Transaction, relation: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${relation}::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity <> 'a'
      and attname <> all(${[...notedColumns]})
    order by attnum
  `.execute(tx)
  return rows.map(({ name }) => name)
}

/** The contents of those of the records from whose scope something was erased. */
export async function findContentsNearErased(
  tx: Transaction,
  ids: readonly string[],
): Promise<{ id: string; scope: string; payload: Payload }[]> {
  const { rows } = await sql<{ id: string; scope: string; payload: Payload }>`
    select r.id, r.scope, c.payload
    from unnest(${ids}::uuid[]) as requested (id)
    join records as r on r.id = requested.id
    join contents as c on c.record_id = r.id
    where r.scope in (select scope from tombstones)
  `.execute(tx)
  return rows
}

type Write = { relation: string; columns: readonly string[]; rows: readonly Row[] }

/** Inserts rows, and returns the keys of those that were inserted. A row whose unique name is taken is left out. */
export async function insertRows(tx: Transaction, { relation, columns, rows }: Write): Promise<Row[]> {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const key = sql.join((keys[relation] ?? []).flatMap((column) => [sql.lit(column), sql.ref(column)]))
  const { rows: inserted } = await sql<{ key: Row }>`
    insert into ${table(relation)} (${names})
    select ${names} from jsonb_populate_recordset(null::${table(relation)}, ${JSON.stringify(rows)}::jsonb)
    on conflict do nothing
    returning jsonb_build_object(${key}) as key
  `.execute(tx)
  return inserted.map(({ key }) => key)
}

/** Returns which of the ids are ids of stored records. These records stay until the transaction ends. */
export async function lockReferred(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from records where id = any(${ids}::uuid[]) order by id for key share
  `.execute(tx)
  return rows.map(({ id }) => id)
}

/** Sets the columns that a row names; the others stay. Rows that all name every column are read once, not twice. */
export async function updateRows(tx: Transaction, { relation, columns, rows }: Write): Promise<void> {
  const set = columns.map((column) => sql`${sql.ref(column)} = k.${sql.ref(column)}`)
  if (rows.every((row) => columns.every((column) => column in row))) {
    await sql`
      update ${table(relation)} as t set ${sql.join(set)}
      from jsonb_populate_recordset(null::${table(relation)}, ${JSON.stringify(rows)}::jsonb) as k
      where ${isKey(relation)}
    `.execute(tx)
    return
  }
  await sql`
    update ${table(relation)} as t set ${sql.join(set)}
    from (
      select k.* from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as given (row)
      cross join lateral jsonb_populate_record(null::${table(relation)}, given.row) as named
      join ${table(relation)} as t on ${sql.join(
        (keys[relation] ?? []).map((column) => sql`t.${sql.ref(column)} = named.${sql.ref(column)}`),
        sql` and `,
      )}
      cross join lateral jsonb_populate_record(t, given.row) as k
    ) as k
    where ${isKey(relation)}
  `.execute(tx)
}

export async function deleteRows(
  tx: Transaction,
  { relation, rows }: Pick<Write, 'relation' | 'rows'>,
): Promise<void> {
  await sql`
    delete from ${table(relation)} as t
    using jsonb_populate_recordset(null::${table(relation)}, ${JSON.stringify(rows)}::jsonb) as k
    where ${isKey(relation)}
  `.execute(tx)
}

/**
 * The versions that a run gave to records when it wrote them last. The offset keeps the planner from reading all rows of the
 * run backward for each record, which took half of the time of an undo.
 */
export async function listWrittenVersions(
  tx: Transaction,
  runId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; version: number }>`
    select requested.id, written.version
    from unnest(${ids}::uuid[]) as requested (id)
    cross join lateral (
      select (e.after ->> 'version')::int4 as version
      from (select * from run_effects where record_id = requested.id offset 0) as e
      where e.run_id = ${runId}::uuid and e.relation = 'records' and e.after ? 'version'
      order by e.id desc
      limit 1
    ) as written
  `.execute(tx)
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** Marks a batch as applied or taken back by a run. Returns false when it was already. */
export async function markBatch(tx: Transaction, runId: string, number: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('maintenance_ranges')
    .values({ run_id: runId, first_block: number, end_block: number + 1, done: true })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Returns which of the handles another record of the same sensitivity has now. Writers of these handles wait until the
 * transaction ends, so that a name that is free stays free.
 */
export async function findTakenHandles(
  tx: Transaction,
  requested: readonly (Row & { sensitivity: unknown })[],
): Promise<string[]> {
  const handles = sql`jsonb_to_recordset(${JSON.stringify(requested)}::jsonb)
    as requested (digest bytea, detail bytea, scope text, record_id uuid, sensitivity sensitivity)`
  await sql`
    select ${lockHandle}
    from (select distinct digest, scope from ${handles} order by digest, scope) as ordered
  `.execute(tx)
  // A statement of its own: its snapshot is younger than the locks.
  const { rows } = await sql<{ id: string }>`
    select distinct requested.record_id as id
    from ${handles}
    join handles as h on h.digest = requested.digest and h.scope = requested.scope
      and h.detail is not distinct from requested.detail and h.record_id <> requested.record_id
    join records as r on r.id = h.record_id
    where r.forgotten_at is null and r.status in ('active', 'challenged') and r.sensitivity = requested.sensitivity
      and r.id not in (select record_id from ${handles})
  `.execute(tx)
  return rows.map(({ id }) => id)
}

export type ImportanceMove = { record_id: string; old: number; new: number }

/** Writes the history of the importance of records. */
export async function insertImportanceMoves(
  tx: Transaction,
  moves: readonly ImportanceMove[],
  { runId, now }: { runId: string | null; now: Date },
): Promise<void> {
  await sql`
    insert into importance_history (record_id, run_id, at, old, new)
    select record_id, ${runId}::uuid, ${now}::timestamptz, old, new
    from jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) as move (record_id uuid, old float8, new float8)
  `.execute(tx)
}

type Reason = {
  action: 'undo' | 'revise'
  actor: string
  rationale: string
  runId: string | null
  now: Date
  /** The key behind it. */
  via: Via | null
}

/** Writes the entries of the log, and the moves of status. */
export async function insertEntries(
  tx: Transaction,
  entries: readonly Entry[],
  { action, actor, rationale, runId, now, via }: Reason,
): Promise<void> {
  const key = sql`${via && JSON.stringify(via)}::jsonb`
  await sql`
    with entry as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
        as entry (record_id uuid, old_status record_status, new_status record_status, changes jsonb)
    ), logged as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes, via)
      select record_id, ${runId}::uuid, ${now}::timestamptz, ${action}::audit_action, ${actor}, ${rationale}, changes, ${key}
      from entry
    )
    insert into status_changes (record_id, run_id, at, old, new, actor, reason, step, via)
    select record_id, ${runId}::uuid, ${now}::timestamptz, old_status, new_status, ${actor}, ${rationale},
      case ${action}::text when 'undo' then 'undo' else 'revert' end, ${key}
    from entry where old_status <> new_status
  `.execute(tx)
}
