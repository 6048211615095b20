import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Question } from '../question/question.ts'
import { computeSalienceAtInstant, selectStatus } from './instant-state.queries.ts'
import type { PastState } from './past-record.ts'

/** Reads from the log the state of records at a past instant. */
export async function findPastStates(
  db: Database,
  ids: readonly string[],
  question: Question,
): Promise<(PastState & { id: string })[]> {
  const { rows } = await sql<PastState & { id: string }>`
    select r.id, ${selectStatus(question)} as status, ${computeSalienceAtInstant(question)} as salience, coalesce((
      select a.changes #>> '{payload.revision.status,0}' from audit_entries as a
      where a.record_id = r.id and a.at > ${question.at}::timestamptz and a.changes ? 'payload.revision.status'
      order by a.id limit 1
    ), c.payload #>> '{revision,status}') as revision
    from records as r join contents as c on c.record_id = r.id
    where r.id = any(${ids}::uuid[])
  `.execute(db)
  return rows
}
