import type { RecordStatus } from '../../db/schema.ts'
import { holdsAt, type Validity } from '../../domain/payloads/validity.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import type { FactGroup, Observation } from './fact-groups.ts'

/** A stored fact with the same content, in any status. `place` is the index of the requested fact, from 0. */
export type KnownFact = {
  place: number
  id: string
  status: RecordStatus
  pinned: boolean
  is_forgotten: boolean
  is_retracted: boolean
  validity: Validity
}

/** The outcome of an observation of a fact, decided by the stored facts. */
export type ObservationOutcome =
  | { outcome: 'created' }
  | { outcome: 'reinforced'; id: string }
  /** The record is pinned: it is not changed, and no second one is created. */
  | { outcome: 'skipped' }
  /** The record that stated it was merged into another one, which may state it now. */
  | { outcome: 'merged'; id: string }
  /** It was withdrawn earlier. A new observation creates a challenged record, which waits for review. */
  | { outcome: 'challenged' }

/** Whether a new record is created for the fact. */
export function isNewFact({ outcome }: ObservationOutcome): boolean {
  return outcome === 'created' || outcome === 'challenged'
}

/** A fact with its outcome and the observations that are not linked to it yet. */
export type DecidedFact = FactGroup & ObservationOutcome & { observations: readonly Observation[] }

/**
 * `known` are the stored facts with the same content, scope and sensitivity, in any status. One that does not hold at
 * the time of the newest observation is not confirmed by it: it would still not be found.
 */
export function decideObservationOutcome(
  known: readonly KnownFact[],
  { observations }: Pick<FactGroup, 'observations'>,
): ObservationOutcome {
  const newest = new Date(Math.max(...observations.map(({ at }) => Date.parse(at))))
  const live = known.filter((fact) => isLive(fact) && holdsAt(fact.validity, newest))
  const currentFact = live.find(({ status }) => status === 'active') ?? live[0]
  if (currentFact)
    return currentFact.pinned ? { outcome: 'skipped' } : { outcome: 'reinforced', id: currentFact.id }
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
 * Returns the observations that are not linked to a known fact. An episode that is processed again, after a restore
 * or a corrected outcome, must not bring back a fact that was forgotten since.
 */
export function excludeSeenObservations(
  group: FactGroup,
  known: readonly KnownFact[],
  seen: ReadonlySet<string>,
): readonly Observation[] {
  if (seen.size === 0) return group.observations
  return group.observations.filter(
    ({ episode }) => !known.some(({ id }) => seen.has(formatPairKey(id, episode.id))),
  )
}

export function formatPairKey(fact: string, episode: string): string {
  return `${fact} ${episode}`
}
