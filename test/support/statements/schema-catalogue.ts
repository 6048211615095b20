import { sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'

export type Column = { type: string; required: boolean; filled: boolean }
export type Constraint = { table: string; columns: string[] }
/** The requirements of the database, by the names of tables, columns and constraints. */
export type Catalogue = {
  columns: ReadonlyMap<string, Column>
  /** Constraints and unique indexes. */
  rules: ReadonlyMap<string, Constraint>
  labels: ReadonlySet<string>
}

/** Reads the catalogue of a database. */
export async function readCatalogue(db: Database): Promise<Catalogue> {
  const columns = await sql<Column & { name: string }>`
    select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as required, a.atthasdef or a.attidentity <> '' as filled
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped and c.relname not like 'kysely%'
  `.execute(db)
  const rules = await sql<Constraint & { name: string }>`
    select k.conname as name, c.relname as table, array(
      select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum = any(k.conkey)) as columns
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where c.relnamespace = 'public'::regnamespace and k.contype <> 'n'
    union all
    select i.relname, c.relname, array(
      select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum = any(x.indkey))
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
    where c.relnamespace = 'public'::regnamespace and x.indisunique
  `.execute(db)
  const labels = await sql<{ name: string }>`
    select t.typname || ' ' || e.enumlabel as name from pg_enum e join pg_type t on t.oid = e.enumtypid
    where t.typnamespace = 'public'::regnamespace
  `.execute(db)
  return {
    columns: new Map(columns.rows.map(({ name, ...column }) => [name, column])),
    rules: new Map(rules.rows.map(({ name, ...rule }) => [name, rule])),
    labels: new Set(labels.rows.map(({ name }) => name)),
  }
}

/** Lists what in `after` breaks a version of the product that was written for `before`. */
export function findIncompatibilities(before: Catalogue, after: Catalogue): string[] {
  const tables = new Set([...before.columns.keys()].map(tableOf))
  const removed = [...before.columns].flatMap(([name, column]) => {
    const left = after.columns.get(name)
    if (!left) return [`${name} is gone`]
    if (left.type !== column.type) return [`${name} is of another type`]
    return left.required && !left.filled && !column.required ? [`${name} must be given`] : []
  })
  const newlyRequired = [...after.columns]
    .filter(([name, { required, filled }]) => !before.columns.has(name) && required && !filled)
    .filter(([name]) => tables.has(tableOf(name)))
    .map(([name]) => `${name} is new and must be given`)
  const narrowed = [...after.rules]
    .filter(([name, { table }]) => !before.rules.has(name) && tables.has(table))
    .filter(([, { table, columns }]) => columns.every((column) => before.columns.has(`${table}.${column}`)))
    .map(([name]) => `${name} asks more of what was there`)
  const unspeakable = [...before.labels]
    .filter((label) => !after.labels.has(label))
    .map((label) => `${label} is gone`)
  return [...removed, ...newlyRequired, ...narrowed, ...unspeakable]
}

function tableOf(column: string): string {
  return column.split('.', 1)[0] ?? ''
}
