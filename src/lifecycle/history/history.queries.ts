import { type Selectable, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { hiddenActor, isMoveShown } from '../../db/fragments/concealment.ts'
import type { ImportanceHistory } from '../../db/schema.ts'
import type { Trust } from '../../domain/trust/caller.ts'
import type { StatusChangeRow } from '../../records/index.ts'

/** Histories are read oldest first, so that a page does not change while they grow. */

type ImportanceRow = Omit<Selectable<ImportanceHistory>, 'record_id'>

export async function listImportanceMoves(
  db: Database,
  { id, after, limit }: { id: string; after: number; limit: number },
): Promise<ImportanceRow[]> {
  return db
    .selectFrom('importance_history')
    .where('record_id', '=', id)
    .where('id', '>', after)
    .select(['id', 'old', 'new', 'at', 'run_id'])
    .orderBy('id')
    .limit(limit)
    .execute()
}

type StatusRow = StatusChangeRow & { id: number }

export async function listStatusChanges(
  db: Database,
  { id, trust, after, limit }: { id: string; trust: Trust; after: number; limit: number },
): Promise<StatusRow[]> {
  const { rows } = await sql<StatusRow>`
    select s.id, s.old, s.new, s.step, s.at, s.run_id, case when s.is_shown then s.actor else ${hiddenActor} end as actor,
      case when s.is_shown then s.reason else '' end as reason, case when s.is_shown then s.via end as via
    from (
      select s.*, ${isMoveShown(trust, sql`${id}::uuid`)} as is_shown
      from status_changes as s
      where s.record_id = ${id}::uuid and s.id > ${after}
      order by s.id
      limit ${limit}
    ) as s
    order by s.id
  `.execute(db)
  return rows
}
