import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database } from '../db/connection.ts'
import { visibleTo } from '../db/visibility.ts'
import type { Trust } from '../kernel/caller.ts'
import type { AuditRow, Identifier, LifecycleRow, RecordRow, StoredRecord } from './rows.ts'

/** How much of the audit log is embedded in a record; all of it is paged on its own. */
export const embeddedAudit = 50

const columns = [
  'r.id',
  'r.type',
  'r.sensitivity',
  'r.layer',
  'r.memory_kind',
  'r.status',
  'r.source_type',
  'r.confidence',
  'r.created_at',
  'r.scope',
  'r.tags',
  'r.payload',
  'r.provenance',
  'r.interpretation',
  'l.salience',
  'l.base_salience',
  'l.anchored_at',
  'l.last_reinforced_at',
  'l.updated_at',
  'l.expires_at',
  'l.prune_at',
  'l.half_life_seconds',
  'l.max_age_seconds',
  'l.min_salience',
  'l.reinforcement_gain',
  'l.max_salience',
  'l.importance',
  'l.base_importance',
  'l.emotional_valence',
  'l.last_accessed_at',
  'l.access_count',
  'l.confirmation_count',
  'l.version',
  'l.curve',
  'l.deletion_policy',
  'l.pinned',
  'l.forgotten_at',
  'l.purge_at',
  'l.forgotten_run_id',
  'l.forgotten_reason',
  'l.forgotten_by',
] as const

/**
 * Whole records under the caller's trust, ready for more conditions. Edges show neither hidden nor forgotten
 * neighbours; of the audit log the newest entries come, oldest first.
 */
export function selectStored(db: Database, trust: Trust) {
  return db
    .selectFrom('records as r')
    .innerJoin('lifecycles as l', 'l.record_id', 'r.id')
    .where(visibleTo(trust))
    .select(columns)
    .select((eb) => [
      jsonArrayFrom(
        eb
          .selectFrom('relations as e')
          .innerJoin('records as t', 't.id', 'e.target_id')
          .innerJoin('lifecycles as tl', 'tl.record_id', 't.id')
          .whereRef('e.source_id', '=', 'r.id')
          .where('tl.forgotten_at', 'is', null)
          .where(visibleTo(trust, 't'))
          .select(['e.predicate', 'e.target_id', 'e.weight', 'e.created_at'])
          .orderBy('e.created_at')
          .orderBy('e.target_id')
          .orderBy('e.predicate'),
      ).as('relations'),
      jsonArrayFrom(
        eb
          .selectFrom(
            eb
              .selectFrom('audit_entries as a')
              .whereRef('a.record_id', '=', 'r.id')
              .select(['a.id', 'a.action', 'a.actor', 'a.at', 'a.rationale', 'a.run_id', 'a.changes'])
              .orderBy('a.id', 'desc')
              .limit(embeddedAudit)
              .as('newest'),
          )
          .select((newest) => auditColumns.map((column) => newest.ref(`newest.${column}`).as(column)))
          .orderBy('newest.id'),
      ).as('audit_log'),
    ])
    .$castTo<StoredRecord>()
}

const auditColumns = ['action', 'actor', 'at', 'rationale', 'run_id', 'changes'] as const

/** Forgotten records too: the caller decides whether to answer one or to say that it is gone. */
export async function findRecord(db: Database, id: string, trust: Trust): Promise<StoredRecord | undefined> {
  return selectStored(db, trust).where('r.id', '=', id).executeTakeFirst()
}

/**
 * Takes the record for writing. The row is read again afterwards: a statement that waited for this lock
 * would answer the other half of the record as it was before the wait.
 */
export async function lockRecord(tx: Database, id: string): Promise<void> {
  await tx.selectFrom('lifecycles').where('record_id', '=', id).select('record_id').forUpdate().execute()
}

/** `searchText` comes with whatever changes the words a record is found by. */
export async function updateContent(
  tx: Database,
  id: string,
  change: Partial<Omit<RecordRow, 'id'>>,
  search?: { text: string; language: string },
): Promise<void> {
  const vector = search && sql<string>`to_tsvector(${search.language}::text::regconfig, ${search.text})`
  await tx
    .updateTable('records')
    .set({ ...asColumns(change), ...(vector ? { search: vector } : {}) })
    .where('id', '=', id)
    .execute()
}

export async function updateLifecycle(
  tx: Database,
  id: string,
  change: Partial<LifecycleRow>,
): Promise<void> {
  await tx.updateTable('lifecycles').set(change).where('record_id', '=', id).execute()
}

export async function appendAudit(tx: Database, id: string, entry: AuditRow & { at: Date }): Promise<void> {
  const changes = entry.changes === null ? null : JSON.stringify(entry.changes)
  await tx
    .insertInto('audit_entries')
    .values({ ...entry, record_id: id, changes })
    .execute()
}

export async function deleteIdentifiers(tx: Database, id: string): Promise<void> {
  await tx.deleteFrom('entity_identifiers').where('record_id', '=', id).execute()
}

export async function insertIdentifiers(
  tx: Database,
  id: string,
  identifiers: readonly Identifier[],
): Promise<void> {
  if (identifiers.length === 0) return
  await tx
    .insertInto('entity_identifiers')
    .values(identifiers.map((each) => ({ ...each, record_id: id })))
    .execute()
}

/** JSON columns travel as text: the driver would write a JavaScript array as a PostgreSQL one. */
function asColumns({ payload, provenance, interpretation, ...rest }: Partial<Omit<RecordRow, 'id'>>) {
  return {
    ...rest,
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
    ...(provenance === undefined ? {} : { provenance: JSON.stringify(provenance) }),
    ...(interpretation ? { interpretation: JSON.stringify(interpretation) } : {}),
  }
}
