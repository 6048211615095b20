import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { getRank, type Sensitivity, sensitivities, type Trust, unscoped } from '../../domain/trust/caller.ts'

/**
 * The only place where trust becomes SQL. Every statement that reads records for a caller contains one of these two
 * predicates, so that hidden records take part in no count, order or cut.
 */

/** Rows that the caller sees whole or redacted. */
export function isVisibleTo(trust: Trust, table = 'r'): RawBuilder<SqlBool> {
  return isAllowed(trust, sensitivities[getRank(trust.maxSensitivity) + 1], table)
}

/**
 * Rows that the caller sees whole. Use it for everything that depends on content: text search, orders by hidden
 * fields.
 */
export function openTo(trust: Trust, table = 'r'): RawBuilder<SqlBool> {
  return isAllowed(trust, trust.maxSensitivity, table)
}

/** A forgotten record counts as purged when its retention ends, before the job has deleted it. */
export function isNotPurged(now: Date, table = 'r'): RawBuilder<SqlBool> {
  const purgeAt = sql.ref(`${table}.purge_at`)
  return sql<SqlBool>`(${purgeAt} is null or ${purgeAt} > ${now}::timestamptz)`
}

function isAllowed(trust: Trust, ceiling: Sensitivity | undefined, table: string): RawBuilder<SqlBool> {
  const sensitivity = sql.ref(`${table}.sensitivity`)
  const scope = sql.ref(`${table}.scope`)
  const conditions: RawBuilder<SqlBool>[] = []
  // No clause where nothing is restricted, so that the planner estimates without it.
  if (ceiling && ceiling !== 'hyper') conditions.push(sql<SqlBool>`${sensitivity} <= ${ceiling}`)
  if (trust.scopes) {
    conditions.push(sql<SqlBool>`${scope} = any(${[...trust.scopes, unscoped]}::text[])`)
  }
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}
