import type { Pool } from 'pg'
import { assert } from '../load.ts'

export type Table = { name: string; key: string; columns: { name: string; type: string }[] }

/** The columns that a create writes, without those that the database generates. */
const written = [
  { name: 'records', key: 'id' },
  { name: 'contents', key: 'record_id' },
  { name: 'handles', key: 'record_id' },
  { name: 'audit_entries', key: 'record_id' },
]

export type RowCopier = Awaited<ReturnType<typeof createRowCopier>>

/**
 * Inserts the rows of a record that the product wrote again under other ids, with nothing to compute: the least cost
 * of storing a record. One prepared statement, one round trip.
 */
export async function createRowCopier(pool: Pool, sampleId: string) {
  const tables = await Promise.all(written.map((table) => readColumns(pool, table)))
  const values = (await Promise.all(tables.map((table) => readRow(pool, table, sampleId)))).flat()
  const text = writeStatement(tables)
  return async (id: string): Promise<void> => {
    await pool.query({ name: 'copy-record', text, values: [id, ...values] })
  }
}

export async function readColumns(pool: Pool, table: { name: string; key: string }): Promise<Table> {
  const { rows } = await pool.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = $1::text::regclass and attnum > 0 and not attisdropped
       and attidentity = '' and attgenerated = '' and attname <> $2
     order by attnum`,
    [table.name, table.key],
  )
  return { ...table, columns: rows }
}

async function readRow(pool: Pool, table: Table, id: string): Promise<(string | null)[]> {
  const columns = table.columns.map(({ name }) => `${name}::text as ${name}`).join(', ')
  const { rows } = await pool.query<Record<string, string | null>>(
    `select ${columns} from ${table.name} where ${table.key} = $1`,
    [id],
  )
  const [row] = rows
  assert(rows.length === 1 && row !== undefined, `one row of ${table.name} for the sample`)
  return table.columns.map(({ name }) => row[name] ?? null)
}

function writeStatement(tables: readonly Table[]): string {
  let parameter = 1
  const inserts = tables.map(({ name, key, columns }) => {
    const given = columns.map(({ type }) => `$${++parameter}::${type}`)
    const names = [key, ...columns.map((column) => column.name)].join(', ')
    return `${name}_row as (insert into ${name} (${names}) values (${['$1::uuid', ...given].join(', ')}))`
  })
  return `with ${inserts.join(', ')} select`
}
