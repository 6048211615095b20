import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isEntryShown } from '../db/fragments/concealment.ts'
import { hasIdIn } from '../db/fragments/id-condition.ts'
import { maxAnswerBytes, measureUpTo, sumBefore } from '../db/fragments/json/json-size.ts'
import { isVisibleTo, openTo } from '../db/fragments/visibility.ts'
import { sendWithNext } from '../db/statements/deferred-statements.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Trust } from '../domain/trust/caller.ts'
import { hasFullTrust } from '../domain/trust/trust.ts'
import { addHiddenIds, type UncheckedRecord } from './answers/hidden-ids.queries.ts'
import { maxEmbeddedEntries, maxEntryLength, maxLogLength } from './audit-log/audit-log.ts'
import { embeddedEdges } from './embedded-edges.ts'
import type { StoredRecord } from './stored-record.ts'

/**
 * Selects full records that the caller sees, from rows named `r`. Edges to hidden or forgotten records are left out. A
 * record with very many edges, up to a million, shows those that the primary key returns first. The audit log contains
 * the newest entries, oldest first, without those with long changes. The columns are written as SQL text, because building so wide a
 * statement for each read took longer than the database needs to answer it.
 */
function selectStored<More = unknown>(
  trust: Trust,
  { from, more = sql``, rest, maxEdges = embeddedEdges }: Selection,
): RawBuilder<UncheckedRecord & More> {
  return sql<UncheckedRecord & More>`
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          cross join lateral (
            select from records as t
            where t.id = e.target_id and t.forgotten_at is null and ${isVisibleTo(trust, 't')}
            offset 0
          ) as t
          where e.source_id = r.id
          order by e.predicate desc, e.target_id desc
          limit ${sql.lit(maxEdges)}
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.operation_id,
            newest.changes, newest.via
          from (
            select a.*, sum(${changesLength}) over (order by a.id desc) as total
            from (
              select * from audit_entries as a
              where a.record_id = r.id and ${changesLength} <= ${sql.lit(maxEntryLength)}
                and ${isEntryShown(trust, sql`r.id`)}
              order by a.id desc limit ${maxEmbeddedEntries}
            ) as a
          ) as newest
          where newest.total <= ${sql.lit(maxLogLength)}
          order by newest.id
        ) as entry
      ), '[]') as audit_log${more}
    from ${from}
    join contents as c on c.record_id = r.id
    where ${isVisibleTo(trust)} ${rest}
  `
}

const changesLength = measureUpTo(sql`a.changes`, maxEntryLength)

type Fragment = RawBuilder<unknown>

/**
 * `more` is added to the columns, `rest` to the conditions. With an order of the rows `read`, those after `maxAnswerBytes` are left
 * out, but never all: the column `bytes_before` then has the length of the contents before each.
 */
type Selection = {
  from: Fragment
  more?: Fragment
  rest: Fragment
  maxEdges?: number | undefined
  limitedIn?: Fragment
}

/** `More` are the columns that the selection adds. */
export async function readStored<More = unknown>(
  db: Database,
  trust: Trust,
  selection: Selection,
): Promise<(StoredRecord & More)[]> {
  const selected = selectStored<More>(trust, selection)
  const { limitedIn: order } = selection
  const { rows } = await (order ? selectFirst(trust, selected, order) : selected).execute(db)
  return addHiddenIds(db, trust, rows)
}

/** Edges and logs are measured as they are shown. A long content is read only of the rows that remain. */
function selectFirst<More>(
  trust: Trust,
  selected: RawBuilder<UncheckedRecord & More>,
  order: Fragment,
): RawBuilder<UncheckedRecord & More> {
  const shown = sql`case when ${openTo(trust, 'read')} then
    octet_length(read.relations::text) + octet_length(read.audit_log::text) else 0 end`
  return sql<UncheckedRecord & More>`
    select * from (
      select read.*, bytes_before + ${sumBefore(shown, order)} as all_bytes_before from (${selected}) as read
    ) as read
    where all_bytes_before <= ${sql.lit(maxAnswerBytes)}
    order by ${order}
  `
}

/** Also finds forgotten records: the caller of this function decides what to do with them. */
export async function findRecords(
  db: Database,
  ids: readonly string[],
  trust: Trust,
  maxEdges?: number,
): Promise<StoredRecord[]> {
  return readStored(db, trust, { from: sql`records as r`, rest: sql`and ${hasIdIn(ids)}`, maxEdges })
}

/**
 * Locks records for a change, in id order, so that two writers of the same records wait instead of deadlocking. Callers
 * read the records after this statement: a statement that waits for a lock returns the contents from before the wait.
 * The lock does not cover the key, so that other transactions can still write edges to the record.
 */
export async function lockRecords(tx: Transaction, ids: readonly string[]): Promise<void> {
  const statement = sql`select r.id from records as r where ${hasIdIn(ids)} order by r.id for no key update`
  await sendWithNext(() => statement.execute(tx))
}

/**
 * Locks the records that the caller may see, and returns their ids. A hidden record is neither locked nor waited for: the time would tell
 * that it exists, and its writers would wait for a caller that may not even see it. One that becomes visible after this statement is
 * not locked, so it is not in the result.
 */
export async function lockVisibleRecords(
  tx: Transaction,
  ids: readonly string[],
  trust: Trust,
): Promise<readonly string[]> {
  if (hasFullTrust(trust)) {
    await lockRecords(tx, ids)
    return ids
  }
  const { rows } = await sql<{ id: string }>`
    select r.id from records as r where ${hasIdIn(ids)} and ${isVisibleTo(trust)} order by r.id for no key update
  `.execute(tx)
  return rows.map(({ id }) => id)
}
