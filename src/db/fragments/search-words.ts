import { type RawBuilder, sql } from 'kysely'

/** The version of the rules for search text. Migration 0023 lists each record that is written without it. */
const textVersion = 'text 1'

/** Words for the scope and type of a record. No text can contain them, because they contain a space. */
export function writeScopeAndTypeWords(
  scope: RawBuilder<unknown>,
  type: RawBuilder<unknown>,
): RawBuilder<string> {
  return sql`array_to_tsvector(array['scope ' || ${scope}, 'type ' || ${type}, ${sql.lit(textVersion)}])`
}

/** The version word alone, to compare a text that does not have it. */
export const versionWord = sql`array_to_tsvector(array[${sql.lit(textVersion)}])`
