import type { Pool, PoolClient } from 'pg'
import { assert } from '../load.ts'
import { readColumns, type Table } from '../records/rows.ts'

/** In the order of their foreign keys. */
const written = [
  { name: 'records', key: 'id' },
  { name: 'contents', key: 'record_id' },
  { name: 'relations', key: 'source_id' },
  { name: 'handles', key: 'record_id' },
  { name: 'audit_entries', key: 'record_id' },
  { name: 'status_changes', key: 'record_id' },
]

type Insert = { table: Table; rows: Row[] }
/** The rows that one capture wrote, by table. */
export type Written = Insert[]

export async function readTables(
  pool: Pool,
  others: readonly { name: string; key: string }[] = [],
): Promise<Table[]> {
  const all = await Promise.all([...written, ...others].map((table) => readColumns(pool, table)))
  return all.map((table) => ({ ...table, columns: [{ name: table.key, type: 'uuid' }, ...table.columns] }))
}

/** Transactions that begin after this have a larger number. */
export async function markNow(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ mark: string }>('select pg_current_xact_id()::text as mark')
  return rows[0]?.mark ?? '0'
}

/**
 * The new rows since the mark, by their transaction; each capture is one transaction. A record may have changed
 * since; the log entry of its creation has not, and identifies the transaction.
 */
export async function readWritten(pool: Pool, tables: readonly Table[], mark: string): Promise<Written[]> {
  const byTransaction = new Map<string, Written>()
  for (const table of tables) {
    for (const [transaction, ...row] of await readNew(pool, table, mark)) {
      const inserts = byTransaction.get(transaction ?? '') ?? []
      byTransaction.set(transaction ?? '', inserts)
      addRow(inserts, table, row)
    }
  }
  return [...byTransaction.values()]
}

type Row = (string | null)[]

/** The transaction of each row comes before its columns. */
async function readNew(pool: Pool, table: Table, mark: string): Promise<Row[]> {
  const columns = table.columns.map(({ name }) => `t.${name}::text`).join(', ')
  const isRecord = table.name === 'records' || table.name === 'contents'
  const creation = `join audit_entries as x on x.record_id = t.${table.key} and x.action = 'create'`
  const { rows } = await pool.query<Row>({
    text: `select ${isRecord ? 'x' : 't'}.xmin::text, ${columns} from ${table.name} as t ${isRecord ? creation : ''}
      where ${isRecord ? 'x' : 't'}.xmin::text::bigint > $1::bigint % 4294967296`,
    values: [mark],
    rowMode: 'array',
  })
  return rows
}

function addRow(inserts: Written, table: Table, row: Row): void {
  const found = inserts.find((insert) => insert.table === table)
  if (found) found.rows.push(row)
  else inserts.push({ table, rows: [row] })
}

/**
 * Inserts the same rows in one transaction, with one prepared statement per table: the least work for a writer that
 * knows all rows beforehand. What a capture reads and what it changes in older records is not included.
 */
export async function insertWritten(pool: Pool, inserts: Written): Promise<void> {
  const session = await pool.connect()
  try {
    await session.query('begin')
    for (const insert of inserts) await insertRows(session, insert)
    await session.query('commit')
  } finally {
    session.release()
  }
}

async function insertRows(session: PoolClient, { table, rows }: Insert): Promise<void> {
  const { name } = table
  const { rowCount } = await session.query({
    name: `${name} ${rows.length}`,
    text: writeInsert(table, rows.length),
    values: rows.flat(),
  })
  assert(rowCount === rows.length, `${rowCount} of ${rows.length} rows of ${name}`)
}

const texts = new Map<string, string>()

/** Built once for each number of rows, because the statement is prepared once. */
function writeInsert({ name, columns }: Table, count: number): string {
  const known = texts.get(`${name} ${count}`)
  if (known !== undefined) return known
  let parameter = 0
  const row = () => `(${columns.map(({ type }) => `$${++parameter}::${type}`).join(', ')})`
  const rows = Array.from({ length: count }, row).join(', ')
  const text = `insert into ${name} (${columns.map((column) => column.name).join(', ')}) values ${rows}`
  texts.set(`${name} ${count}`, text)
  return text
}

export type Counts = Readonly<Record<string, number>>

/** Counts the rows of every table, and the parts that show what the captures did. */
export async function countRows(pool: Pool): Promise<Counts> {
  const counted = {
    ...Object.fromEntries(written.map(({ name }) => [name, name])),
    ...Object.fromEntries(
      ['episodic', 'working', 'entity', 'semantic'].map((type) => [type, `records where type = '${type}'`]),
    ),
    confirmed: "audit_entries where action = 'reinforce'",
    contested: "relations where predicate = 'contested_by'",
  }
  const counts = Object.entries(counted).map(
    ([name, from]) => `(select count(*)::int from ${from}) as ${name}`,
  )
  const { rows } = await pool.query<Counts>(`select ${counts.join(', ')}`)
  return rows[0] ?? {}
}

export function countNew(before: Counts, after: Counts): Counts {
  return Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]))
}
