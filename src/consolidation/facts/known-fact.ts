import type { RecordStatus } from '../../db/schema.ts'
import { isHistory } from '../../domain/vocabulary.ts'
import type { FactGroup, Observation } from './fact-groups.ts'

/** A fact that says the same, whatever became of it; `place` is that of what was asked, from 0. */
export type KnownFact = {
  place: number
  id: string
  status: RecordStatus
  pinned: boolean
  is_forgotten: boolean
  is_retracted: boolean
}

/** What becomes of a fact, by what is known of it. */
export type FactOutcome =
  | { outcome: 'created' }
  | { outcome: 'reinforced'; id: string }
  /** Nobody is to change it; that it is there keeps a twin from being made. */
  | { outcome: 'left' }
  /** It was folded into another, which says it now if it still stands. */
  | { outcome: 'merged'; id: string }
  /** It was withdrawn once: being observed again does not bring it back, it only asks. */
  | { outcome: 'challenged' }

/** `known` say the same in the same scope to the same readers, whatever became of them. */
export function decideFactOutcome(known: readonly KnownFact[]): FactOutcome {
  const live = known.filter(isLive)
  const currentFact = live.find(({ status }) => status === 'active') ?? live[0]
  if (currentFact)
    return currentFact.pinned ? { outcome: 'left' } : { outcome: 'reinforced', id: currentFact.id }
  const merged = known.find(({ status }) => status === 'merged')
  if (merged) return { outcome: 'merged', id: merged.id }
  return known.some(isWithdrawn) ? { outcome: 'challenged' } : { outcome: 'created' }
}

function isLive(fact: KnownFact): boolean {
  return !isHistory(fact.status) && !fact.is_forgotten && !fact.is_retracted
}

function isWithdrawn({ status, is_retracted }: KnownFact): boolean {
  return status === 'superseded' || status === 'invalidated' || is_retracted
}

/**
 * Without those that bore witness before: an episode that comes again, because it was restored or its outcome
 * corrected, brings nothing back that was forgotten since.
 */
export function excludeSeenObservations(
  group: FactGroup,
  known: readonly KnownFact[],
  seen: ReadonlySet<string>,
): readonly Observation[] {
  if (seen.size === 0) return group.observations
  return group.observations.filter(
    ({ episode }) => !known.some(({ id }) => seen.has(pairKey(id, episode.id))),
  )
}

export function pairKey(fact: string, episode: string): string {
  return `${fact} ${episode}`
}
