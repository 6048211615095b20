import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchDatabase } from '../database.ts'

/** The tables of a record, in an order in which they can be written. */
const tables = ['records', 'contents', 'relations', 'audit_entries', 'handles', 'unembedded']
/** COPY reads a table with partitions only as a query. */
const partitioned: Record<string, string> = { audit_entries: '(select * from audit_entries)' }

export type Copied = { seconds: number; files: Map<string, string> }

/** Copies the rows into files with COPY, on the machine of the database and without a network. */
export async function copyOut({ pool }: BenchDatabase): Promise<Copied> {
  const files = new Map(tables.map((table) => [table, join(tmpdir(), `membrane-${randomUUID()}.copy`)]))
  const started = performance.now()
  for (const [table, file] of files) await pool.query(`copy ${partitioned[table] ?? table} to '${file}'`)
  return { seconds: (performance.now() - started) / 1_000, files }
}

/** Copies them back with all indexes, constraints and triggers: the least cost of storing them. */
export async function copyIn({ pool }: BenchDatabase, files: Copied['files']): Promise<number> {
  const started = performance.now()
  for (const [table, file] of files) await pool.query(`copy ${table} from '${file}'`)
  return (performance.now() - started) / 1_000
}

/** The contents of the tables, without who wrote them and when. */
export async function digestOf({ pool }: BenchDatabase): Promise<string> {
  const { rows } = await pool.query<{ digest: string }>(`
    select concat_ws(' ',
      (select concat(count(*), ' ', sum(hashtextextended(concat(record_id, tags, payload, provenance), 0))) from contents),
      (select concat(count(*), ' ', sum(hashtextextended(concat(source_id, predicate, target_id, weight), 0))) from relations),
      (select concat(count(*), ' ', sum(hashtextextended(concat(record_id, action, actor, at), 0))) from audit_entries),
      (select concat(count(*), ' ', sum(hashtextextended(concat(id, base_salience, anchored_at, version, prune_at), 0)))
        from records)
    ) as digest
  `)
  return rows[0]?.digest ?? ''
}
