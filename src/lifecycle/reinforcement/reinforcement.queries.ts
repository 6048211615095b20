import { sql } from 'kysely'
import type { AuditAction } from '../../db/schema.ts'
import { getVia, type Transaction } from '../../db/transaction.ts'
import type { LifecycleChange } from '../../domain/lifecycle/reinforcement.ts'

export type LifecycleUpdate = LifecycleChange & {
  id: string
  action: AuditAction
  /** 1 when the operation counts as a use of the record. */
  uses: 0 | 1
  /** The salience before and after, for the audit log. */
  changes: Record<string, unknown>
  /** Never before the last write of the record. */
  written_at: Date
}

export type AuditDetails = { actor: string; rationale: string; at: Date }

/** Writes lifecycle, version and audit entry of many locked records in one statement. */
export async function updateLifecycles(
  tx: Transaction,
  updates: readonly LifecycleUpdate[],
  details: AuditDetails,
): Promise<void> {
  const via = getVia(tx)
  await sql`
    with incoming as materialized (
      select * from json_to_recordset(${JSON.stringify(updates)}::json) as incoming (
        id uuid, base_salience float8, anchored_at timestamptz, last_reinforced_at timestamptz, pinned bool,
        salience float8, expires_at timestamptz, prune_at timestamptz, action audit_action, uses integer,
        changes jsonb, written_at timestamptz
      )
    ), record as (
      update records as r
      set base_salience = i.base_salience, anchored_at = i.anchored_at, last_reinforced_at = i.last_reinforced_at,
        pinned = i.pinned, salience = i.salience, expires_at = i.expires_at, prune_at = i.prune_at,
        version = r.version + 1, updated_at = i.written_at,
        access_count = r.access_count + i.uses,
        last_accessed_at = case i.uses when 0 then r.last_accessed_at
          else greatest(r.last_accessed_at, ${details.at}::timestamptz) end
      from incoming as i
      where r.id = i.id
    ), used as (
      insert into access_log (record_id, at, kind, actor)
      select id, ${details.at}::timestamptz, 'used', ${details.actor}::text from incoming where uses > 0
    )
    insert into audit_entries (record_id, action, actor, at, rationale, changes, via)
    select id, action, ${details.actor}::text, written_at, ${details.rationale}::text, changes,
      ${via && JSON.stringify(via)}::jsonb
    from incoming
  `.execute(tx)
}
