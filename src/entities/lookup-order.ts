import { unscoped } from '../domain/caller.ts'
import { type Candidate, findMatch } from '../domain/entity-match.ts'

/** Where an entity stands among those that answer to one term. */
export type LookupPosition = { rank: number; created_at: string; id: string }

const matches = ['identifier', 'name', 'alias'] as const

/**
 * By identifier, then by its own name, then by an alias; of each those with a scope before those of none, active
 * before challenged, the oldest, the lowest id. A name is known however it is typed, an identifier only as it is.
 */
export function rankMatches(term: string, bearers: readonly Candidate[]): LookupPosition[] {
  return bearers
    .flatMap((bearer) => {
      const match = findMatch({ surface: term, entity_kind: '' }, bearer)
      if (match === undefined) return []
      const rank =
        matches.indexOf(match) * 4 +
        (bearer.scope === unscoped ? 2 : 0) +
        (bearer.status === 'active' ? 0 : 1)
      return [{ rank, created_at: bearer.created_at.toISOString(), id: bearer.id }]
    })
    .sort(compare)
}

export function isAfter(standing: LookupPosition, mark: LookupPosition): boolean {
  return compare(standing, mark) > 0
}

function compare(one: LookupPosition, other: LookupPosition): number {
  return (
    one.rank - other.rank || compareText(one.created_at, other.created_at) || compareText(one.id, other.id)
  )
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
