import { sql } from 'kysely'
import { hasIdIn, hasIdOf, isAmong } from '../../db/fragments/id-condition.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { PrunableState } from '../../domain/lifecycle/curves.ts'
import { recordSnapshotFields } from '../record-snapshot.queries.ts'
import type { Compressed } from './episode-compression.ts'

const compressor = 'consolidation/episodic'

/** `is_due` is false if the audit log shows an earlier compression, here or where the record was imported from. */
export type CompressionCandidate = PrunableState & { id: string; is_due: boolean }

/**
 * Locks the records of the claimed rows, and skips those that others have locked. To wait for them could be a deadlock: a transaction
 * that changes an episode may wait for its row in the list.
 */
export async function claimCompressionCandidates(
  tx: Transaction,
  ids: readonly string[],
): Promise<CompressionCandidate[]> {
  const { rows } = await sql<CompressionCandidate>`
    with held as materialized (
      select r.id, r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
        r.deletion_policy,
        r.type = 'episodic' and r.forgotten_at is null and r.status in ('active', 'challenged') and not r.pinned
          as is_live
      from records as r
      where ${hasIdIn(ids)}
      order by r.id
      for no key update skip locked
    )
    select held.id, held.curve, held.half_life_seconds, held.min_salience, held.base_salience, held.anchored_at,
      held.expires_at, held.pinned, held.deletion_policy,
      held.is_live and not exists (
        select from audit_entries as a
        where a.record_id = held.id and a.action = 'decay' and a.actor = ${compressor}
        offset 0
      ) as is_due
    from held
  `.execute(tx)
  return rows
}

/** Returns which of the ids exist. */
export async function findExistingIds(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select r.id from records as r where ${hasIdIn(ids)}
  `.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

type Writing = {
  finished: readonly string[]
  now: Date
  runId: string
  /** Whether the statement keeps the rows that it writes. Otherwise the triggers do, if the run keeps any. */
  savesEffects: boolean
}

/** Writes the new salience and the audit entries, and deletes the rows from the list, in one statement. */
export async function writeCompressed(
  tx: Transaction,
  compressed: readonly (Compressed & { id: string })[],
  { finished, now, runId, savesEffects }: Writing,
): Promise<void> {
  const changes = compressed.map((each) => each.changes)
  await sql`
    with incoming as materialized (
      select * from unnest(
        ${compressed.map(({ id }) => id)}::uuid[],
        ${changes.map(({ base_salience: [before] }) => before)}::float8[],
        ${changes.map(({ base_salience: [, after] }) => after)}::float8[],
        ${changes.map(({ salience: [before] }) => before)}::float8[],
        ${changes.map(({ salience: [, after] }) => after)}::float8[],
        ${compressed.map((each) => each.prune_at)}::timestamptz[]
      ) as incoming (id, base_before, base_after, before, after, prune_at)
    ), earlier as materialized (
      select r.id, jsonb_build_object(${recordSnapshotFields}) as row from records as r
      where ${savesEffects}::bool and ${hasIdOf('incoming')}
    ), record as (
      update records as r
      set base_salience = i.base_after, salience = i.after, prune_at = i.prune_at, version = r.version + 1,
        updated_at = greatest(r.updated_at, ${now}::timestamptz)
      from incoming as i
      where r.id = i.id and ${hasIdOf('incoming')}
      returning r.id, r.updated_at, case when ${savesEffects}::bool then jsonb_build_object(${recordSnapshotFields}) end as row
    ), unlisted as (
      delete from unconsolidated as u
      where stage = 'episodic' and ${isAmong('record_id', finished)}
      returning u.record_id, case when ${savesEffects}::bool then to_jsonb(u) end as row
    ), effect as (
      insert into run_effects (run_id, record_id, relation, before, after, others)
      select ${runId}::uuid, id, 'records', earlier.row, record.row,
        case when unlisted.row is not null
          then jsonb_build_array(jsonb_build_object('relation', 'unconsolidated', 'before', unlisted.row)) end
      from earlier join record using (id) left join unlisted on unlisted.record_id = id
      union all
      select ${runId}::uuid, record_id, 'unconsolidated', row, null, null from unlisted
      where ${savesEffects}::bool and record_id not in (select id from record)
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, ${runId}::uuid, updated_at, 'decay', ${compressor}, 'compressed: what it taught is kept apart',
      jsonb_build_object(
        'base_salience', jsonb_build_array(base_before, base_after), 'salience', jsonb_build_array(before, after)
      )
    from incoming join record using (id)
  `.execute(tx)
}
