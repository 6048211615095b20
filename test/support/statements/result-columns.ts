import pg from 'pg'

export type ResultColumn = {
  name: string
  /** The name that `pg_type` has for it. */
  type: string
  /** The type of the driver's value: `string`, `number[]`, `Date` …; `json` for what it parses as JSON. */
  answer: string
  /** By the column of the table behind it; undefined for an expression, about which PostgreSQL tells nothing. */
  isNullable: boolean | undefined
}

type Field = { name: string; dataTypeID: number; tableID: number; columnID: number }
type Parser = (oid: number) => (text: string) => unknown
type Type = { name: string; kind: string; category: string; element: number }
type Catalog = { types: ReadonlyMap<number, Type>; nullable: ReadonlyMap<string, boolean> }

/** Prepares statements as the driver does when it runs them, and tells what they would answer. */
export async function openDescriber(url: string, parserOf: Parser) {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  const catalog = await readCatalog(session)
  return {
    /** Rejects with PostgreSQL's error for what it cannot prepare. */
    describe: async (statement: string): Promise<ResultColumn[]> =>
      (await prepare(session, statement)).map((field) => describeField(field, catalog, parserOf)),
    close: () => session.end(),
  }
}

async function readCatalog(session: pg.Client): Promise<Catalog> {
  const types = await session.query('select oid, typname, typtype, typcategory, typelem from pg_type')
  const columns = await session.query(
    `select attrelid, attnum, not attnotnull as nullable from pg_attribute
     where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`,
  )
  return {
    types: new Map(
      types.rows.map((row) => [
        row.oid,
        { name: row.typname, kind: row.typtype, category: row.typcategory, element: row.typelem },
      ]),
    ),
    nullable: new Map(columns.rows.map((row) => [`${row.attrelid}.${row.attnum}`, row.nullable])),
  }
}

/** Parse and Describe of the extended protocol: the statement is planned for no values and never run. */
function prepare(session: pg.Client, text: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    let fields: Field[] = []
    const description = {
      submit: (connection: pg.Connection) => {
        connection.parse({ name: '', text, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription: (message: { fields: Field[] }) => {
        fields = message.fields
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
    }
    session.query(description as unknown as pg.Submittable)
  })
}

function describeField(field: Field, { types, nullable }: Catalog, parserOf: Parser): ResultColumn {
  const type = types.get(field.dataTypeID)
  if (!type) throw new Error(`no type ${field.dataTypeID}`)
  return {
    name: field.name,
    type: type.name,
    answer: type.name.startsWith('json')
      ? 'json'
      : nameValue(parserOf(field.dataTypeID)(exampleOf(type, types))),
    isNullable: nullable.get(`${field.tableID}.${field.columnID}`),
  }
}

const examples: Readonly<Record<string, string>> = {
  B: 't',
  N: '1',
  D: '2026-01-01 00:00:00+00',
  T: '00:00:01',
}

/** A value in the text form in which the server sends it. */
function exampleOf({ name, category, element }: Type, types: Catalog['types']): string {
  const member = types.get(element)
  if (category === 'A' && member) return `{${exampleOf(member, types)}}`
  return name === 'bytea' ? '\\x00' : (examples[category] ?? 'a')
}

function nameValue(value: unknown): string {
  if (Array.isArray(value)) return `${nameValue(value[0])}[]`
  if (value instanceof Date) return 'Date'
  return Buffer.isBuffer(value) ? 'Buffer' : typeof value
}
