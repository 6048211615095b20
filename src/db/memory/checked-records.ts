import { type RawBuilder, sql } from 'kysely'
import { type Conditions, meetsAll } from '../fragments/conditions.ts'

/**
 * Parts of a statement that checks records which were found in memory. The other values on which the order of an answer depends
 * are read with the check, so that they cost no statement of their own.
 */

/** `salience` is an expression on `records as r`. */
export type CheckedStates = {
  salience: RawBuilder<number>
  /** By the id of a record. */
  found: Map<string, { salience: number; importance: number }>
}

/**
 * Checks the record of each row `asked`: whether it may be an answer, whether its words may count for others, and its state. Both
 * lists are conditions on `records as r`. To be joined `left join lateral`. Each `offset 0` keeps PostgreSQL to looking up one
 * record by its id, and to deciding once.
 */
export function checkedRecord(
  { answers, context = [] }: { answers: Conditions; context?: Conditions },
  states: CheckedStates | undefined,
): RawBuilder<unknown> {
  const salience = states ? sql`case when met.answers then ${states.salience} end` : sql`null::float8`
  return sql`
    select r.forgotten_at is not null as is_forgotten, met.answers, met.is_context, ${salience} as salience, ${states ? sql`r.importance` : sql`null::float8`} as importance
    from records as r cross join lateral (
      select ${meetsAll(answers)} as answers, ${meetsAll(context)} as is_context offset 0
    ) as met
    where r.id = asked.id
    offset 0
  `
}

/**
 * The places, in the list that was asked for, of the records that meet a condition. A column, and not rows: a driver needs longer
 * for a hundred rows than the database.
 */
export const placesWhere = (condition: RawBuilder<unknown>) =>
  sql<string | null>`string_agg(place::text, ',') filter (where ${condition})`

/** The same with the states of the records, as one list of JSON: a place, its salience and its importance, the next place. */
export const statesWhere = (condition: RawBuilder<unknown>) =>
  sql<
    string | null
  >`'[' || string_agg(concat_ws(',', place, salience, importance), ',') filter (where ${condition}) || ']'`

/** Returns the ids at the places of `placesWhere`. */
export function readPlaces(text: string | null | undefined, ids: readonly string[]): string[] {
  return text?.split(',').flatMap((place) => ids[Number(place) - 1] ?? []) ?? []
}

/** Returns the ids at the places of `statesWhere`, and takes in their states. Without `states` there are only places. */
export function readStates(
  text: string | null | undefined,
  ids: readonly string[],
  states: CheckedStates | undefined,
): string[] {
  // Parsing takes a third of the time of splitting the text.
  const numbers: number[] = text ? JSON.parse(text) : []
  const found: string[] = []
  for (let at = 0; at < numbers.length; at += states ? 3 : 1) {
    const id = ids[(numbers[at] ?? 0) - 1]
    if (id === undefined) continue
    states?.found.set(id, { salience: numbers[at + 1] ?? 0, importance: numbers[at + 2] ?? 0 })
    found.push(id)
  }
  return found
}
