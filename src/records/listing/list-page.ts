import type { RawBuilder, SqlBool } from 'kysely'
import type { Trust } from '../../domain/caller.ts'
import type { StoredRecord } from '../stored-record.ts'
import type { Filters, Order, Sort } from './list-filters.ts'

/** Where a page ends: the last value of its order, and the id that breaks ties. */
export type Position = { value: number | string; id: string }

export type PageQuery = {
  filters: Filters
  trust: Trust
  /** Salience is answered as of this instant on every page, so that paging is stable while all fades. */
  asOf: Date
  textLanguage: string
  sort: Sort
  order: Order
  after?: Position
  limit: number
  /** What else must hold of a row `r`, for who selects by more than a list can be asked for. */
  conditions?: readonly RawBuilder<SqlBool>[]
  /** Leaves redacted records out whatever is asked: the conditions read what they do not show. */
  isReadableOnly?: boolean
}

export type PositionedRecord = StoredRecord & { position: number | Date }

export type PositionedId = { id: string; position: number | Date }

/**
 * A lane is one half-life, in one scope where the page is bound to scopes: an index holds its records in their
 * order. Of each lane as many are taken as the page could need.
 */
export type Lane = { scope?: string; half_life_seconds: number }
