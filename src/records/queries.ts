import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database } from '../db/connection.ts'
import { visibleTo } from '../db/visibility.ts'
import type { Trust } from '../kernel/caller.ts'
import type { AuditRow, ContentRow, Identifier, RecordRow, StoredRecord } from './rows.ts'

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
  'c.tags',
  'c.payload',
  'c.provenance',
  'c.interpretation',
  'r.salience',
  'r.base_salience',
  'r.anchored_at',
  'r.last_reinforced_at',
  'r.updated_at',
  'r.expires_at',
  'r.prune_at',
  'r.half_life_seconds',
  'r.max_age_seconds',
  'r.min_salience',
  'r.reinforcement_gain',
  'r.max_salience',
  'r.importance',
  'r.base_importance',
  'r.emotional_valence',
  'r.last_accessed_at',
  'r.access_count',
  'r.confirmation_count',
  'r.version',
  'r.curve',
  'r.deletion_policy',
  'r.pinned',
  'r.forgotten_at',
  'r.purge_at',
  'r.forgotten_run_id',
  'r.forgotten_reason',
  'r.forgotten_by',
] as const

/**
 * Whole records under the caller's trust, ready for more conditions. Edges show neither hidden nor forgotten
 * neighbours; of the audit log the newest entries come, oldest first.
 */
export function selectStored(db: Database, trust: Trust) {
  return db
    .selectFrom('records as r')
    .innerJoin('contents as c', 'c.record_id', 'r.id')
    .where(visibleTo(trust))
    .select(columns)
    .select((eb) => [
      jsonArrayFrom(
        eb
          .selectFrom('relations as e')
          .innerJoin('records as t', 't.id', 'e.target_id')
          .whereRef('e.source_id', '=', 'r.id')
          .where('t.forgotten_at', 'is', null)
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
export async function findRecords(
  db: Database,
  ids: readonly string[],
  trust: Trust,
): Promise<StoredRecord[]> {
  return selectStored(db, trust)
    .where('r.id', '=', sql<string>`any(${sql.val([...ids])}::uuid[])`)
    .execute()
}

/**
 * Takes records for writing, in id order so that two writers of the same ones wait instead of deadlocking. They
 * are read again afterwards: a statement that waited for a lock would answer the contents as they were
 * before the wait.
 */
export async function lockRecords(tx: Database, ids: readonly string[]): Promise<void> {
  await tx
    .selectFrom('records')
    .where('id', '=', sql<string>`any(${sql.val([...ids])}::uuid[])`)
    .select('id')
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Tags and payload are found by their words, so `search` comes with either. */
export async function updateContent(
  tx: Database,
  id: string,
  change: Partial<ContentRow>,
  search: { text: string; language: string },
): Promise<void> {
  await tx
    .updateTable('contents')
    .set({
      ...asColumns(change),
      search: sql`to_tsvector(${search.language}::text::regconfig, ${search.text})`,
    })
    .where('record_id', '=', id)
    .execute()
}

export async function updateRecord(tx: Database, id: string, change: Partial<RecordRow>): Promise<void> {
  await tx.updateTable('records').set(change).where('id', '=', id).execute()
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
function asColumns({ payload, provenance, interpretation, ...rest }: Partial<ContentRow>) {
  return {
    ...rest,
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
    ...(provenance === undefined ? {} : { provenance: JSON.stringify(provenance) }),
    ...(interpretation ? { interpretation: JSON.stringify(interpretation) } : {}),
  }
}
