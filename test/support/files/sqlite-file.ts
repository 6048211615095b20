import { DatabaseSync } from 'node:sqlite'

/** The bytes of a database file. */
export function buildSqlite(
  ...statements: readonly (string | readonly [string, ...(string | number | null)[]])[]
): Buffer {
  const database = new DatabaseSync(':memory:')
  try {
    for (const statement of statements) {
      if (typeof statement === 'string') database.exec(statement)
      else database.prepare(statement[0]).run(...statement.slice(1))
    }
    return Buffer.from(database.serialize())
  } finally {
    database.close()
  }
}
