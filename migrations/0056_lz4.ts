import { type Kysely, sql } from 'kysely'

/**
 * Contents are compressed by lz4: a record with a payload of 1 KB takes a twentieth less, because pglz finds too little to
 * save in short texts. Stored rows stay as they are. A server that was built without lz4 goes on with its own method.
 *
 * Locks: `contents`, for a moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`do $$ begin ${setCompression('lz4')}; exception when feature_not_supported then null; end $$`)
    .execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(setCompression('default')).execute(db)
}

function setCompression(method: string): string {
  const columns = ['payload', 'provenance', 'interpretation', 'search']
  return `alter table contents ${columns.map((column) => `alter column ${column} set compression ${method}`).join(', ')}`
}
