import type { Static } from 'typebox'
import type { ListQuery } from './list.schemas.ts'

export type Filters = Omit<Static<typeof ListQuery>, 'sort' | 'order' | 'limit' | 'cursor'>
export type Sort = NonNullable<Static<typeof ListQuery>['sort']>
export type Order = NonNullable<Static<typeof ListQuery>['order']>

/**
 * A redacted record hides its text, layer, kind, status, importance and pin. A list that filters or sorts by one of these
 * leaves redacted records out: otherwise their presence would reveal the hidden value.
 */
export function readsHiddenFields(filters: Filters, sort: Sort): boolean {
  const hidden = [filters.q, filters.layer, filters.memory_kind, filters.status, filters.pinned]
  return sort === 'importance' || hidden.some((value) => value !== undefined)
}
