import type pg from 'pg'
import type { BenchDatabase } from '../database.ts'

/** The tables that have rows of records. The store of a bench has none in the others. */
const tables = [
  'records',
  'contents',
  'messages',
  'handles',
  'relations',
  'audit_entries',
  'status_changes',
  'embeddings',
  'signatures',
  'surprises',
  'unconsolidated',
  'scope_sizes',
]

type Column = { name: string; type: string }

/**
 * Makes the rows of a store, which the service has written, into a store of many times the size. Each copy has ids and
 * scopes of its own: the last 32 bits of an id, which are random, become the number of the copy. Triggers and foreign keys are off, because the rows that they would write and check are copied too.
 */
export async function createMultiplier({ pool }: BenchDatabase) {
  await pool.query(`
    create schema base;
    create function base.copied(id uuid, copy int) returns uuid immutable language sql
      return overlay(id::text placing lpad(to_hex(copy), 8, '0') from 29)::uuid;
    create function base.copied(document jsonb, copy int) returns jsonb immutable language sql
      return regexp_replace(document::text, '(-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{4})[0-9a-f]{8}',
        '\\1' || lpad(to_hex(copy), 8, '0'), 'g')::jsonb;
  `)
  const statements = new Map<string, string>()
  for (const table of tables) {
    await pool.query(`create table base.${table} as table public.${table}`)
    statements.set(table, copyStatement(table, await listColumns(pool, table)))
  }

  /** Adds the copies numbered from `first` to `last`. Indexes are built afterwards, as a restored dump does. */
  async function addCopies(first: number, last: number, note: (text: string) => void): Promise<void> {
    const session = await pool.connect()
    try {
      await session.query(`set session_replication_role = replica; set synchronous_commit = off`)
      await session.query(`set maintenance_work_mem = '2GB'`)
      const indexes = await dropIndexes(session)
      for (const [table, statement] of statements) {
        note(table)
        await session.query(statement, [first, last])
      }
      for (const index of indexes) {
        note(index.slice(0, 80))
        await session.query(index)
      }
      await session.query('reset all')
    } finally {
      session.release()
    }
    note('vacuum')
    await pool.query('vacuum analyze')
    await pool.query('checkpoint')
  }

  return { addCopies }
}

/** The columns that an insert may write. */
async function listColumns(pool: pg.Pool, table: string): Promise<Column[]> {
  const { rows } = await pool.query<Column>(
    `select attname as name, atttypid::regtype::text as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
     order by attnum`,
    [table],
  )
  return rows
}

/** All copies of a row are written together, because their ids are neighbours in every index. */
function copyStatement(table: string, columns: readonly Column[]): string {
  const names = columns.map(({ name }) => name)
  // The order in which messages came is a number that the insert gives.
  const order = table === 'messages' ? 'order by arrival' : ''
  const scoped = table === 'contents' ? 'join base.records as r on r.id = t.record_id' : ''
  return `insert into ${table} (${names.join(', ')}) select ${columns.map(copyOf).join(', ')}
    from (select * from base.${table} ${order} offset 0) as t ${scoped}
    cross join lateral (select * from generate_series($1::int, $2::int) as n offset 0) as copy (n)`
}

function copyOf({ name, type }: Column): string {
  const column = `t.${name}`
  if (name === 'scope') return `${column} || '-' || copy.n`
  if (type === 'tsvector')
    return `ts_delete(${column}, 'scope ' || r.scope) || array_to_tsvector(array['scope ' || r.scope || '-' || copy.n])`
  return type === 'uuid' || type === 'jsonb' ? `base.copied(${column}, copy.n)` : column
}

/** Drops the indexes that hold no constraint, and returns the statements that build them again. */
async function dropIndexes(session: pg.PoolClient): Promise<string[]> {
  const { rows } = await session.query<{ name: string; statement: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as statement from pg_index
     where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  )
  for (const { name } of rows) await session.query(`drop index ${name}`)
  return rows.map(({ statement }) => statement)
}
