import type { Selectable } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { ImportanceHistory } from '../../db/schema.ts'

type Moved = Omit<Selectable<ImportanceHistory>, 'record_id'>

/** Oldest first, so that a page does not change while the history grows. */
export async function listImportanceMoves(
  db: Database,
  { id, after, limit }: { id: string; after: number; limit: number },
): Promise<Moved[]> {
  return db
    .selectFrom('importance_history')
    .where('record_id', '=', id)
    .where('id', '>', after)
    .select(['id', 'old', 'new', 'at', 'run_id'])
    .orderBy('id')
    .limit(limit)
    .execute()
}
