import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { scopeAndTypeWords } from '../db/search-words.ts'
import { extractWords } from '../domain/query-words.ts'
import type { AuditRow, ContentRow, RecordRow, StatusChangeRow } from './stored-record.ts'

export type RecordChange = {
  /** `demoted_at` is written with a layer, and read by nobody but SQL. */
  record: Partial<RecordRow & { demoted_at: Date | null }>
  entry: AuditRow & { at: Date }
  /** What is said, or where it belongs: both are found by their words, so `search` comes with either. */
  rewritten?: { content: Partial<ContentRow>; search: Search }
}
type Search = { text: string; language: string; scope: string; type: string }

/** A change and its entry in the log, in one statement; what says something else is listed as to be embedded anew. */
export async function applyChange(
  tx: Database,
  id: string,
  { record, entry, rewritten: said }: RecordChange,
): Promise<void> {
  const changes = entry.changes === null ? null : JSON.stringify(entry.changes)
  const logged = { ...entry, record_id: id, changes, via: asJson(entry.via) }
  const changed = tx.with('changed', (db) => db.updateTable('records').set(record).where('id', '=', id))
  if (!said) {
    await changed.insertInto('audit_entries').values(logged).execute()
    return
  }
  const columns = { ...asColumns(said.content), ...asSearch(said.search) }
  const listing = { asked_at: entry.at, due_at: entry.at, attempts: 0 }
  await changed
    .with('rewritten', (db) => db.updateTable('contents').set(columns).where('record_id', '=', id))
    .with('listed', (db) =>
      db
        .insertInto('unembedded')
        .values({ record_id: id, ...listing })
        .onConflict((conflict) => conflict.column('record_id').doUpdateSet(listing)),
    )
    .insertInto('audit_entries')
    .values(logged)
    .execute()
}

function asSearch({ text, language, scope, type }: Search) {
  const { text: words, count } = extractWords(text)
  return {
    words: count,
    search: sql<string>`to_tsvector(${language}::text::regconfig, ${words})
      || ${scopeAndTypeWords(sql`${scope}::text`, sql`${type}::text`)}`,
  }
}

/** Beside the audit log, because it is asked for by itself and as of a time. */
export async function appendStatusChange(tx: Database, id: string, change: StatusChangeRow): Promise<void> {
  await tx
    .insertInto('status_changes')
    .values({ ...change, record_id: id, via: asJson(change.via) })
    .execute()
}

function asJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
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
