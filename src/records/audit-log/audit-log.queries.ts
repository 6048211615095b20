import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { isEntryShown } from '../../db/fragments/concealment.ts'
import { measure } from '../../db/fragments/json-size.ts'
import type { Trust } from '../../domain/caller.ts'

type AuditPage = { id: string; trust: Trust; after: number; limit: number; maxBytes: number }

/**
 * Oldest first, so that new entries do not change earlier pages. `selected` is the number of entries within the limit; those after
 * `maxBytes` of changes are left out, but never all.
 */
export async function listAuditEntries(db: Database, { id, trust, after, limit, maxBytes }: AuditPage) {
  const found = db
    .selectFrom('audit_entries as a')
    .where('record_id', '=', id)
    .where('id', '>', after)
    .where(isEntryShown(trust, sql`a.record_id`))
    .select(['id', 'action', 'actor', 'at', 'rationale', 'run_id', 'operation_id', 'changes', 'via'])
    .orderBy('id')
    .limit(limit)
  const length = measure(sql`a.changes`)
  return db
    .selectFrom(
      db
        .selectFrom(found.as('a'))
        .selectAll()
        .select(sql<number>`(count(*) over ())::int4`.as('selected'))
        .select(sql<number>`sum(${length}) over (order by a.id) - ${length}`.as('bytes_before'))
        .as('a'),
    )
    .where('bytes_before', '<=', maxBytes)
    .select([
      'id',
      'action',
      'actor',
      'at',
      'rationale',
      'run_id',
      'operation_id',
      'changes',
      'via',
      'selected',
    ])
    .orderBy('id')
    .execute()
}
