import { sql } from 'kysely'
import { writeScopeAndTypeWords } from '../../db/fragments/search-words.ts'
import { sendWithNext } from '../../db/statements/deferred-statements.ts'
import type { Transaction } from '../../db/transaction.ts'
import { extractWords } from '../../domain/words/word-extraction.ts'
import type { AuditRow, ContentRow, RecordRow, StatusChangeRow } from '../stored-record.ts'

export type RecordChange = {
  /** Not part of a loaded record: `demoted_at` is written with the layer, `worth` with a named importance. */
  record: Partial<RecordRow & { demoted_at: Date | null; restored_at: Date; worth: Buffer }>
  entry: AuditRow & { at: Date }
  content?: Partial<ContentRow>
  /** Present when the search text changes, or who may read it. */
  search?: Search | undefined
  /** Whether the sizes of scopes count the record under another scope or group afterwards. */
  isCountedElsewhere?: boolean
}
type Search = { text: string; language: string; scope: string; type: string }

/** Writes a change and its audit entry in one statement. A record with a new text is queued for a new vector. */
export async function applyChange(
  tx: Transaction,
  id: string,
  { record, entry, content = {}, search, isCountedElsewhere = false }: RecordChange,
): Promise<void> {
  const changes = entry.changes === null ? null : JSON.stringify(entry.changes)
  const logged = { ...entry, record_id: id, changes, via: asJson(entry.via) }
  const changed = tx.with('changed', (db) => db.updateTable('records').set(record).where('id', '=', id))
  const hasContent = Object.keys(content).length > 0
  if (!hasContent && !search) {
    await sendWithNext(() => changed.insertInto('audit_entries').values(logged).execute())
    return
  }
  // Written first: within one statement, the trigger would move the new size although it had counted the old one.
  if (isCountedElsewhere && hasContent) {
    const resized = tx.updateTable('contents').set(asColumns(content)).where('record_id', '=', id)
    await sendWithNext(() => resized.execute())
  }
  const columns = { ...asColumns(content), ...(search ? asSearch(search) : {}) }
  const rewritten = changed.with('rewritten', (db) =>
    db.updateTable('contents').set(columns).where('record_id', '=', id),
  )
  if (!search) {
    await sendWithNext(() => rewritten.insertInto('audit_entries').values(logged).execute())
    return
  }
  const listing = { asked_at: entry.at, due_at: entry.at, attempts: 0 }
  const statement = rewritten
    .with('queued', (db) =>
      db
        .insertInto('unembedded')
        .values({ record_id: id, ...listing })
        .onConflict((conflict) => conflict.column('record_id').doUpdateSet(listing)),
    )
    .insertInto('audit_entries')
    .values(logged)
  await sendWithNext(() => statement.execute())
}

function asSearch({ text, language, scope, type }: Search) {
  const { text: words, count } = extractWords(text)
  return {
    words: count,
    search: sql<string>`to_tsvector(${language}::text::regconfig, ${words})
      || ${writeScopeAndTypeWords(sql`${scope}::text`, sql`${type}::text`)}`,
  }
}

/** Not read from the audit log, because the status history is queried alone and as of a time. */
export async function appendStatusChange(
  tx: Transaction,
  id: string,
  change: StatusChangeRow,
): Promise<void> {
  const statement = tx
    .insertInto('status_changes')
    .values({ ...change, record_id: id, via: asJson(change.via) })
  await sendWithNext(() => statement.execute())
}

function asJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

/**
 * JSON columns are sent as text: the driver would write a JavaScript array as a PostgreSQL array. Kysely leaves out the columns that are
 * undefined.
 */
function asColumns({ payload, provenance, interpretation, ...rest }: Partial<ContentRow>) {
  return {
    ...rest,
    payload: payload && JSON.stringify(payload),
    provenance: provenance && JSON.stringify(provenance),
    interpretation: interpretation ? JSON.stringify(interpretation) : undefined,
  }
}
