import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { isEntryShown } from '../../db/fragments/concealment.ts'
import { maxAnswerBytes, measure, sumBefore } from '../../db/fragments/json/json-size.ts'
import type { Trust } from '../../domain/trust/caller.ts'

const columns = [
  'id',
  'action',
  'actor',
  'at',
  'rationale',
  'run_id',
  'operation_id',
  'changes',
  'via',
] as const

/**
 * Oldest first, so that new entries do not change earlier pages. `selected` is the number of entries within the limit; those after
 * `maxAnswerBytes` of changes are left out, but never all.
 */
export async function listAuditEntries(
  db: Database,
  { id, trust, after, limit }: { id: string; trust: Trust; after: number; limit: number },
) {
  const found = db
    .selectFrom('audit_entries as a')
    .where('record_id', '=', id)
    .where('id', '>', after)
    .where(isEntryShown(trust, sql`a.record_id`))
    .select(columns)
    .orderBy('id')
    .limit(limit)
  const measured = db
    .selectFrom(found.as('a'))
    .selectAll()
    .select(sql<number>`(count(*) over ())::int4`.as('selected'))
    .select(sumBefore(measure(sql`a.changes`), sql`a.id`).as('bytes_before'))
  return db
    .selectFrom(measured.as('a'))
    .where('bytes_before', '<=', maxAnswerBytes)
    .select([...columns, 'selected'])
    .orderBy('id')
    .execute()
}
