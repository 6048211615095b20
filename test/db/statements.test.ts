import { AliasNode, IdentifierNode, type OperationNode, RawNode, type RootOperationNode, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase } from '../support/servers/database.ts'
import { compileQueries } from '../support/statements/compiled-queries.ts'
import { openDescriber, type ResultColumn } from '../support/statements/result-columns.ts'
import { compareColumn, compareRow } from '../support/statements/row-check.ts'
import { type RawSql, readRawSql } from '../support/statements/row-types.ts'

type Described = { file: string; name: string; query: RootOperationNode; columns: readonly ResultColumn[] }

const keyOf = (fragments: readonly string[]) => JSON.stringify(fragments)
const templates = readRawSql()
const templatesOf = Map.groupBy(templates, ({ fragments }) => keyOf(fragments))

/** Columns that a statement answers beside its declared row. */
const undeclared = new Set([
  // Added to the statement for whole records, with a type of their own.
  'position',
  'selected',
  'bytes_before',
  'all_bytes_before',
  'neighbours',
  // Called for its effect alone.
  'set_config',
])
/** Columns that allow null, in statements that compare them with `=` and so find none: PostgreSQL does not report it. */
const neverNull = new Set(['findTakenPlaces: place', 'findTakenIdentifiers: sensitivity'])

let describer: Awaited<ReturnType<typeof openDescriber>>
const described: Described[] = []
const refused: string[] = []

const database = await openTestDatabase()
beforeAll(async () => {
  const { getTypeParser } = database.pool.options.types ?? {}
  if (!getTypeParser) throw new Error('the pool has no parsers of its own')
  describer = await openDescriber(database.url, (oid) => getTypeParser(oid, 'text'))
  // The index of signatures, and the function over it, exist only where pgvector is installed.
  await sql`
    create function nearest_signatures(model smallint, sought bit) returns table (record_id uuid, distance bigint)
    language sql return (null::uuid, 0::bigint)
  `.execute(database.db)
  // What a server with Citus has.
  await sql`create table pg_dist_local_group (groupid integer not null)`.execute(database.db)
  await sql`
    create function run_command_on_coordinator(command text) returns table (success boolean, result text)
    language sql return (null::boolean, null::text)
  `.execute(database.db)
  for (const { file, query, compiled } of await compileQueries()) {
    for (const statement of compiled) {
      const columns = await describer.describe(statement.sql).catch((error: Error) => {
        refused.push(`${file} ${query}: ${error.message}`)
      })
      if (columns) described.push({ file, name: query, query: statement.query, columns })
    }
  }
})
afterAll(async () => {
  await describer.close()
  await database.close()
})

/** The templates behind a node of a compiled query: of equal texts those of its own file, and only those without a word. */
function templatesBehind(node: OperationNode, file: string): RawSql[] {
  if (!RawNode.is(node)) return []
  const equal = templatesOf.get(keyOf(node.sqlFragments)) ?? []
  const own = equal.filter(({ place }) => place.startsWith(`${file}:`))
  return own.length > 0 || node.sqlFragments.every((text) => text.trim() === '') ? own : equal
}

/** The raw expressions that a built query selects, by the name of their column. */
function rawSelections({ query, file }: Described): Map<string, RawSql[]> {
  const returning = 'returning' in query ? query.returning?.selections : undefined
  const selected = ('selections' in query ? query.selections : returning) ?? []
  return new Map(
    selected.flatMap(({ selection }) =>
      AliasNode.is(selection) && IdentifierNode.is(selection.alias)
        ? [[selection.alias.name, templatesBehind(selection.node, file)] as const]
        : [],
    ),
  )
}

it('PostgreSQL prepares every statement', () => {
  expect(refused).toEqual([])
  expect(described.length).toBeGreaterThan(300)
})

it('the columns of each raw statement are those of its declared row', () => {
  const breaches = described.flatMap(({ file, name, query, columns }) =>
    templatesBehind(query, file).flatMap(({ place, row }) => {
      if (!row) return []
      const checked = columns.filter((column) => row.has(column.name) || !undeclared.has(column.name))
      return compareRow(checked, row).map((breach) => ({ query: name, place, ...breach }))
    }),
  )
  expect(breaches.filter(({ query, column }) => !neverNull.has(`${query}: ${column}`))).toEqual([])
})

it('each raw column of a built query is of its declared type', () => {
  const breaches = described.flatMap((each) => {
    const selections = rawSelections(each)
    return each.columns.flatMap((column) =>
      (selections.get(column.name) ?? []).flatMap(({ place, value }) =>
        value ? compareColumn(column, value).map((breach) => ({ query: each.name, place, ...breach })) : [],
      ),
    )
  })
  expect(breaches).toEqual([])
})

it('every raw statement of the product is executed by a sample', () => {
  const sampled = new Set(
    described.flatMap(({ query, file }) => templatesBehind(query, file).map(({ place }) => place)),
  )
  const missing = templates.filter(({ isExecuted, place }) => isExecuted && !sampled.has(place))
  // The migrator's settings and locks run in the tests of migrations.
  expect(
    missing.map(({ place }) => place).filter((place) => !place.startsWith('src/db/migrator.ts')),
  ).toEqual([])
})

it('a row that is declared otherwise is noticed', async () => {
  const columns = await describer.describe(
    `select id, created_at, purge_at, access_count, '{}'::jsonb as payload from records`,
  )
  const text = { name: 'string', isNullable: false, fitsJson: true }
  const date = { name: 'Date', isNullable: false, fitsJson: false }
  const row = new Map([
    ['id', text],
    ['created_at', text],
    ['purge_at', date],
    ['payload', date],
    ['scope', text],
  ])
  expect(compareRow(columns, row)).toEqual([
    { column: 'created_at', problem: 'is timestamptz, answered as Date, declared as string' },
    { column: 'purge_at', problem: 'can be null and is not declared so' },
    { column: 'access_count', problem: 'is answered and not declared' },
    { column: 'payload', problem: 'is jsonb, answered as json, declared as Date' },
    { column: 'scope', problem: 'is declared and not answered' },
  ])
})
