import { type RawBuilder, sql } from 'kysely'
import { quoteWord } from './tsquery.ts'

/** π²/6, the limit of the sum of 1/i². */
const limitOfRank = Math.PI ** 2 / 6

/**
 * An expression over the number of occurrences of a word; null where it is absent, which costs a third of counting it.
 * The number is derived from `ts_rank`, which for a single word is the sum of 1/i² up to that number, divided by its
 * limit. The alternative is to unnest the whole text.
 */
export function selectOccurrences(
  word: string | undefined,
  expression: (count: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const query = sql`${word === undefined ? null : quoteWord(word)}::tsquery`
  const rank = sql`ts_rank('{1,1,1,1}', c.search, ${query})`
  const count = sql`round(1 / (${sql.lit(limitOfRank)}::float8 * (1 - ${rank})) - 0.5)`
  return sql`case when c.search @@ ${query} then ${expression(count)} end`
}
