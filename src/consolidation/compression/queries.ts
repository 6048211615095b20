import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { Prunable } from '../../decay/curves.ts'
import type { Compressed } from './fading.ts'

const compressor = 'consolidation/episodic'

/** `is_due` where it is to be compressed, `is_left` where somebody else has it in hand. */
export type Aged = Prunable & { id: string; is_due: boolean; is_left: boolean }

/**
 * The records of episodes that were taken off the list, passing over what others hold: one who changes an episode
 * may come to the list next, and would wait for this batch as it waits for them. That an episode was compressed
 * before, here or where it was imported from, is in its log.
 */
export async function claimAged(tx: Transaction, ids: readonly string[]): Promise<Aged[]> {
  const { rows } = await sql<Aged>`
    with held as materialized (
      select r.id, r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
        r.deletion_policy,
        r.type = 'episodic' and r.forgotten_at is null and r.status in ('active', 'challenged') and not r.pinned
          as is_live
      from records as r
      where r.id = any(${sql.val([...ids])}::uuid[])
      order by r.id
      for no key update skip locked
    )
    select asked.id, held.curve, held.half_life_seconds, held.min_salience, held.base_salience, held.anchored_at,
      held.expires_at, held.pinned, held.deletion_policy,
      coalesce(held.is_live, false) and not exists (
        select from audit_entries as a
        where a.record_id = asked.id and a.action = 'decay' and a.actor = ${compressor}
      ) as is_due,
      held.id is null and exists (select from records as r where r.id = asked.id) as is_left
    from unnest(${sql.val([...ids])}::uuid[]) as asked (id)
    left join held on held.id = asked.id
  `.execute(tx)
  return rows
}

/** New lives, their entries in the log and what comes off the list, in one statement. */
export async function writeCompressed(
  tx: Transaction,
  compressed: readonly (Compressed & { id: string })[],
  { finished, now, runId }: { finished: readonly string[]; now: Date; runId: string },
): Promise<void> {
  await sql`
    with incoming as materialized (
      select * from json_to_recordset(${JSON.stringify(compressed)}::json) as incoming (
        id uuid, base_salience float8, salience float8, prune_at timestamptz, changes jsonb
      )
    ), record as (
      update records as r
      set base_salience = i.base_salience, salience = i.salience, prune_at = i.prune_at, version = r.version + 1,
        updated_at = ${now}::timestamptz
      from incoming as i
      where r.id = i.id
    ), entry as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, ${runId}::uuid, ${now}::timestamptz, 'decay', ${compressor}, 'compressed: what it taught is kept apart',
        changes
      from incoming
    )
    delete from unconsolidated
    where stage = 'episodic' and record_id = any(${sql.val([...finished])}::uuid[])
  `.execute(tx)
}
