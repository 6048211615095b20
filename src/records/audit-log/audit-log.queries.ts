import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { isEntryShown } from '../../db/fragments/concealment.ts'
import type { Trust } from '../../domain/caller.ts'

/** Oldest first, so that new entries do not change earlier pages. */
export async function listAuditEntries(
  db: Database,
  { id, trust, after, limit }: { id: string; trust: Trust; after: number; limit: number },
) {
  return db
    .selectFrom('audit_entries as a')
    .where('record_id', '=', id)
    .where('id', '>', after)
    .where(isEntryShown(trust, sql`a.record_id`))
    .select(['id', 'action', 'actor', 'at', 'rationale', 'run_id', 'operation_id', 'changes', 'via'])
    .orderBy('id')
    .limit(limit)
    .execute()
}
