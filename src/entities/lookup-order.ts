import { type Candidate, findMatch } from '../domain/identity/entity-match.ts'
import { unscoped } from '../domain/trust/caller.ts'
import { compareTexts } from '../kernel/text-order.ts'

/** The position of an entity among the matches of one term. */
export type LookupPosition = { rank: number; created_at: string; id: string }

const matches = ['identifier', 'name', 'alias'] as const

/**
 * Sorts matches by identifier, then by canonical name, then by alias. Within each: entities with a scope first, then
 * active before challenged, then the oldest, then the lowest id. Names are normalised; identifiers must match exactly.
 */
export function rankMatches(term: string, candidates: readonly Candidate[]): LookupPosition[] {
  return candidates
    .flatMap((candidate) => {
      const match = findMatch({ surface: term, entity_kind: '' }, candidate)
      if (match === undefined) return []
      const rank =
        matches.indexOf(match) * 4 +
        (candidate.scope === unscoped ? 2 : 0) +
        (candidate.status === 'active' ? 0 : 1)
      return [{ rank, created_at: candidate.created_at.toISOString(), id: candidate.id }]
    })
    .sort(compare)
}

export function isAfter(position: LookupPosition, cursor: LookupPosition): boolean {
  return compare(position, cursor) > 0
}

function compare(one: LookupPosition, other: LookupPosition): number {
  return (
    one.rank - other.rank || compareTexts(one.created_at, other.created_at) || compareTexts(one.id, other.id)
  )
}
