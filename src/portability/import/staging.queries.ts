import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'

/** Lines that are stored until all lines of their import were checked. */

export type StagedLine = { line: number; bytes: Buffer }

export async function insertStagedLines(
  db: Database,
  importId: string,
  lines: readonly StagedLine[],
  now: Date,
): Promise<void> {
  await sql`
    insert into import_lines (import_id, line, received_at, bytes)
    select ${importId}::uuid, line, ${now}::timestamptz, bytes
    from unnest(${lines.map(({ line }) => line)}::int4[], ${lines.map(({ bytes }) => bytes)}::bytea[]) as held (line, bytes)
  `.execute(db)
}

/** Returns the next lines in order: at most `maxBytes` together, but at least one. */
export async function readStagedLines(
  db: Database,
  importId: string,
  after: number,
  { limit, maxBytes }: { limit: number; maxBytes: number },
): Promise<StagedLine[]> {
  const { rows } = await sql<StagedLine>`
    with next as materialized (
      select line, sum(octet_length(bytes)) over (order by line) - octet_length(bytes) as bytes_before
      from (
        select line, bytes from import_lines where import_id = ${importId}::uuid and line > ${after}
        order by line limit ${limit}
      ) as ahead
    )
    select l.line, l.bytes from next join import_lines as l on l.import_id = ${importId}::uuid and l.line = next.line
    where next.bytes_before < ${maxBytes}
    order by l.line
  `.execute(db)
  return rows
}

export async function deleteStagedLines(db: Database, importId: string): Promise<void> {
  await sql`delete from import_lines where import_id = ${importId}::uuid`.execute(db)
}
