import { DatabaseSync } from 'node:sqlite'
import { CollectedBytes } from '../../kernel/collections/collected-bytes.ts'
import { AppError, createFaultError } from '../../kernel/errors.ts'
import { maxLineBytes } from '../line-limits.ts'
import type { ForeignFile, Reading } from './items.ts'

const magic = Buffer.from('SQLite format 3\0', 'latin1')
/** The whole file is held in memory, so it is limited. */
const maxFileBytes = 64 * 1_024 * 1_024

/** Rows of one table. `list` returns the first column of each, `read` all columns of one, without those that are bytes. */
export type Rows = {
  list(): Iterable<{ rowid: number; key: unknown }>
  read(rowid: number): Record<string, unknown>
  createError(message: string): AppError
}

export function isSqlite(head: Buffer): boolean {
  return head.subarray(0, magic.length).equals(magic)
}

/**
 * Reads the first of some tables that a database file has, by their columns. The file may be made to do harm. So it is opened in
 * memory, and only columns of plain tables are read, row by row: nothing that it defines is executed, and no statement takes long.
 * A broken file gives a last refused line.
 */
export async function* readTable(
  file: ForeignFile,
  tables: Readonly<Record<string, readonly string[]>>,
  read: (rows: Rows) => AsyncIterable<Reading>,
): AsyncGenerator<Reading> {
  let line = 0
  let database: DatabaseSync | undefined
  try {
    database = open(await readWhole(file))
    for await (const reading of read(openTable(database, tables))) {
      line = Math.max(line, reading.line)
      yield reading
    }
  } catch (error) {
    yield { line: line + 1, error: toRefusal(error) }
  } finally {
    database?.close()
  }
}

async function readWhole(file: ForeignFile): Promise<Buffer> {
  const collected = new CollectedBytes(maxFileBytes)
  for await (const part of file.chunks()) collected.add(part)
  const bytes = collected.take()
  if (bytes) return bytes
  throw new AppError('body_too_large', `A database file may have at most ${maxFileBytes} bytes.`)
}

const versionBytes = [18, 19]
const schemaPage = 100
const leafPage = 0x0d

function open(bytes: Buffer): DatabaseSync {
  // A schema of many pages would take long to parse, and no program whose file is read here has one.
  if (bytes[schemaPage] !== leafPage) throw createDatabaseError('has no schema of one page')
  // The file says that it has a write-ahead log. None was sent.
  for (const at of versionBytes) bytes[at] = 1
  const database = new DatabaseSync(':memory:', {
    defensive: true,
    allowExtension: false,
    enableDoubleQuotedStringLiterals: false,
    limits: { length: maxLineBytes, sqlLength: 10_000, column: 100, attach: 0, triggerDepth: 1 },
  })
  database.deserialize(bytes)
  database.exec('pragma trusted_schema = off; pragma query_only = on')
  return database
}

function openTable(database: DatabaseSync, tables: Readonly<Record<string, readonly string[]>>): Rows {
  const named = database.prepare(
    `select name, rootpage > 0 as is_plain from sqlite_schema where type = 'table'`,
  )
  const plain = new Set(named.all().flatMap(({ name, is_plain: isPlain }) => (isPlain === 1 ? [name] : [])))
  const [table, [key, ...columns] = []] = Object.entries(tables).find(([name]) => plain.has(name)) ?? []
  if (table === undefined || key === undefined)
    throw createDatabaseError(`has none of the tables ${Object.keys(tables).join(', ')}`)
  requirePlainColumns(database, table)
  const size = describeSize(database, table)
  const rows = database.prepare(
    `select rowid as rowid, ${size} as size, case when octet_length(${key}) <= ${maxKeyBytes} then ${key} end as value
     from ${table} not indexed`,
  )
  const row = database.prepare(
    `select ${size} as size, ${[key, ...columns].join(', ')} from ${table} where rowid = ?`,
  )
  const listed = createMeter()
  const shown = createMeter()
  return {
    createError: createDatabaseError,
    *list() {
      for (const { rowid, size: bytes, value } of rows.iterate()) {
        listed(bytes)
        yield { rowid: Number(rowid), key: value }
      }
    },
    read(rowid) {
      const { size: bytes = 0, ...values } = row.get(rowid) ?? {}
      shown(bytes)
      return Object.fromEntries(Object.entries(values).filter(([, value]) => !(value instanceof Uint8Array)))
    },
  }
}

const maxKeyBytes = 1_024

/** The bytes of all columns of a row. SQLite knows them without reading the columns. */
function describeSize(database: DatabaseSync, table: string): string {
  const columns = database.prepare(`select name from pragma_table_xinfo('${table}')`).all()
  const quoted = columns.map(({ name }) => `"${String(name).replaceAll('"', '""')}"`)
  const sizes = quoted.map((name) => `iif(typeof(${name}) in ('text', 'blob'), octet_length(${name}), 0)`)
  return sizes.join(' + ')
}

/**
 * Counts the bytes of rows. More than the file may have means that rows share pages. Then a small file takes as long to read as a
 * very large one.
 */
function createMeter(): (bytes: unknown) => void {
  let spent = 0
  return (bytes) => {
    spent += Number(bytes)
    if (spent > maxFileBytes) throw createDatabaseError('is a damaged database file')
  }
}

/** A computed column would run what the file says, and one that is named rowid would hide the number of the row. */
function requirePlainColumns(database: DatabaseSync, table: string): void {
  const odd = database.prepare(
    `select count(*) as columns from pragma_table_xinfo('${table}')
     where hidden > 0 or lower(name) in ('rowid', '_rowid_', 'oid')`,
  )
  if (odd.get()?.['columns'] !== 0) throw createDatabaseError('has columns that are not plain')
}

function createDatabaseError(message: string): AppError {
  return createFaultError('The database cannot be read.', { pointer: '', message })
}

/** The message of SQLite may quote what the file contains, so it is not shown. */
function toRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error
  const isOfDatabase =
    error instanceof Error && 'code' in error && /^ERR_(SQLITE_ERROR|OUT_OF_RANGE)$/.test(String(error.code))
  if (isOfDatabase) return createDatabaseError('is a damaged or incomplete database file')
  throw error
}
