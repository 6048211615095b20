import { type RawBuilder, sql } from 'kysely'

/** Of the rules that search text is computed by. Migration 0023 lists each record that is written without it. */
const textVersion = 'text 1'

/** Words of a record that no text can hold, since they contain a space: where it belongs, and its type. */
export function scopeAndTypeWords(scope: RawBuilder<unknown>, type: RawBuilder<unknown>): RawBuilder<string> {
  return sql`array_to_tsvector(array['scope ' || ${scope}, 'type ' || ${type}, ${sql.lit(textVersion)}])`
}

/** Alone, to compare a text that does not have it. */
export const versionWord = sql`array_to_tsvector(array[${sql.lit(textVersion)}])`
