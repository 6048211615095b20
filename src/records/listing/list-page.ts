import type { RawBuilder, SqlBool } from 'kysely'
import type { Trust } from '../../domain/trust/caller.ts'
import type { StoredRecord } from '../stored-record.ts'
import type { Filters, Order, Sort } from './list-filters.ts'

/** The end of a page: the sort value of its last record, and the id that orders equal values. */
export type Position = { value: number | string; id: string }

export type PageQuery = {
  filters: Filters
  trust: Trust
  /** The salience of every page is computed for this time, so that the order does not change between pages. */
  asOf: Date
  /** What the filter `q` asks for, as PostgreSQL writes it. */
  words?: string | undefined
  sort: Sort
  order: Order
  after?: Position
  limit: number
  /** More conditions on the row `r`, for rooms that select by more than the filters of a list. */
  conditions?: readonly RawBuilder<SqlBool>[]
  /** Leaves redacted records out, because the conditions read fields that they hide. */
  isReadableOnly?: boolean
}

/** `selected` is the number of records within the limit; the last of them are missing if they would make the page too long. */
export type PositionedRecord = StoredRecord & { position: number | Date; selected: number }

export type PositionedId = { id: string; position: number | Date; selected?: number }

/**
 * A lane is the records of one half-life, and of one scope if the page is limited to scopes. An index holds them in
 * their order of salience. A page reads as many records of each lane as it could need.
 */
export type Lane = { scope?: string; half_life_seconds: number }
