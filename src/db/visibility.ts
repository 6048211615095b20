import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { rankOf, type Sensitivity, sensitivities, type Trust, unscoped } from '../domain/caller.ts'

/**
 * The one place where trust becomes SQL. Every statement that reads records on a caller's behalf carries one
 * of these two predicates, so that what a caller may not see takes no part in any count, order or cut.
 */

/** Seen whole or redacted. */
export function visibleTo(trust: Trust, table = 'r'): RawBuilder<SqlBool> {
  return allowed(trust, sensitivities[rankOf(trust.maxSensitivity) + 1], table)
}

/** Seen whole: for whatever would tell about content, such as text matches and orders by hidden fields. */
export function openTo(trust: Trust, table = 'r'): RawBuilder<SqlBool> {
  return allowed(trust, trust.maxSensitivity, table)
}

/** The same rule for a row that has been read. */
export function isOpenTo(trust: Trust, sensitivity: Sensitivity): boolean {
  return rankOf(sensitivity) <= rankOf(trust.maxSensitivity)
}

function allowed(trust: Trust, ceiling: Sensitivity | undefined, table: string): RawBuilder<SqlBool> {
  const sensitivity = sql.ref(`${table}.sensitivity`)
  const scope = sql.ref(`${table}.scope`)
  const conditions: RawBuilder<SqlBool>[] = []
  // No clause at all where nothing is restricted: a planner estimates best what it does not see.
  if (ceiling && ceiling !== 'hyper') conditions.push(sql<SqlBool>`${sensitivity} <= ${ceiling}`)
  if (trust.scopes) {
    conditions.push(sql<SqlBool>`${scope} = any(${sql.val([...trust.scopes, unscoped])}::text[])`)
  }
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}
