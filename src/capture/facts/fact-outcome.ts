import { createFactHandle, hasSameDetail, isListPredicate } from '../../domain/identity/handles.ts'
import type { SemanticPayload } from '../../domain/payloads/payloads.ts'
import { covers, overlaps } from '../../domain/payloads/validity.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import { hasSameVisibility, type Visibility } from '../../domain/trust/caller.ts'
import { isSameValue } from '../../domain/words/names.ts'
import { isNegation } from '../../domain/words/negation.ts'
import type { KnownRecord } from '../../records/index.ts'

/** The outcome of a new fact, decided by the known facts on the same topic. */
export type FactOutcome =
  /**
   * `relatedFact` is a fact on the same topic with lower sensitivity or without scope. The new fact is linked to it;
   * it is not changed.
   */
  | { outcome: 'created'; relatedFact?: RelatedFact | undefined }
  /** A current record already states it. */
  | { outcome: 'confirmed'; id: string }
  /** The record that stated it was merged into another one, which may state it now. */
  | { outcome: 'merged'; id: string; other: string | undefined }
  /** It was withdrawn earlier. Repeating it does not bring it back. */
  | { outcome: 'challenged'; other: string | undefined }
  /** A current record states another object, and its revision policy decides. `duplicates` say the same as that record. */
  | { outcome: 'replaced' | 'forked' | 'contested'; policy: Policy; other: string; duplicates: string[] }

export type RelatedFact = { id: string; predicate: 'supports' | 'contradicts' }

type Policy = NonNullable<SemanticPayload['revision_policy']>
/** `denies`: it says the opposite of the new fact. */
type Fact = KnownRecord & { payload: SemanticPayload; denies: boolean }
type Statement = { fact: SemanticPayload; at: Date }

const outcomeOfPolicy = { replace: 'replaced', fork: 'forked', contest: 'contested' } as const

/**
 * Returns the outcome for a new fact. `known` are the facts on the topic and on the one that denies it: first those with the same
 * object, then the newest first. A capture confirms, contests or supersedes only facts of its own scope and sensitivity.
 */
export function decideFactOutcome(
  newFact: SemanticPayload,
  known: readonly KnownRecord[],
  { occurredAt: at, ...visibility }: Visibility & { occurredAt: Date },
): FactOutcome {
  const statement = { fact: newFact, at }
  const readable = known.flatMap((each) => compareFact(each, newFact))
  const isOwn = (fact: Fact) => hasSameVisibility(fact, visibility)
  const outcome = decideAmongOwnFacts(statement, readable.filter(isOwn))
  if (outcome.outcome !== 'created') return outcome
  const others = readable.filter((fact) => !isOwn(fact))
  const live = others.filter(isLive)
  // A fact that was withdrawn where every key could see it does not come back as a confidential one.
  const isBlocked = (fact: Fact) => fact.is_same && fact.scope === visibility.scope && isWithdrawn(fact)
  const relatedFact = findRelatedFact(statement, live)
  if (relatedFact?.predicate !== 'supports' && others.some(isBlocked))
    return { outcome: 'challenged', other: relatedFact?.id }
  return { outcome: 'created', relatedFact }
}

/** Another object under the opposite predicate says nothing about the new fact. */
function compareFact({ payload, ...known }: KnownRecord, newFact: SemanticPayload): Fact[] {
  if (payload?.kind !== 'semantic') return []
  const isSame = known.is_same || isSameValue(payload.object, newFact.object)
  if (!isNegation(payload.predicate, newFact.predicate))
    return [{ ...known, payload, is_same: isSame, denies: false }]
  return isSame ? [{ ...known, payload, is_same: false, denies: true }] : []
}

/** Returns the id of the record that must not change until the transaction ends. */
export function getIdToLock(factOutcome: FactOutcome): string | undefined {
  if (factOutcome.outcome === 'confirmed') return factOutcome.id
  return 'policy' in factOutcome ? factOutcome.other : undefined
}

function findRelatedFact(statement: Statement, live: readonly Fact[]): RelatedFact | undefined {
  const same = live.find(({ is_same }) => is_same)
  if (same) return { id: same.id, predicate: 'supports' }
  const currentFact = findCurrentFact(statement, live)
  const isDisputed = currentFact && (currentFact.payload.revision_policy ?? 'contest') !== 'fork'
  return isDisputed ? { id: currentFact.id, predicate: 'contradicts' } : undefined
}

function decideAmongOwnFacts(statement: Statement, facts: readonly Fact[]): FactOutcome {
  const live = facts.filter(isLive)
  const same = facts.filter((fact) => fact.is_same)
  const repeatable = live.filter((fact) => fact.is_same && isRepeatedBy(fact, statement))
  const repeated = repeatable.find(({ status }) => status === 'active') ?? repeatable[0]
  if (repeated) return { outcome: 'confirmed', id: repeated.id }
  const currentFact = findCurrentFact(statement, live)
  const merged = same.find(({ status }) => status === 'merged')
  if (merged) return { outcome: 'merged', id: merged.id, other: currentFact?.id }
  if (same.some(isWithdrawn)) return { outcome: 'challenged', other: currentFact?.id }
  if (!currentFact) return { outcome: 'created' }
  const policy = currentFact.payload.revision_policy ?? 'contest'
  return {
    outcome: outcomeOfPolicy[policy],
    policy,
    other: currentFact.id,
    duplicates: listDuplicates(statement, currentFact, live),
  }
}

/**
 * Returns the newest uncontested fact, otherwise the newest, those first that say the opposite of the new fact. Each contest leaves one
 * uncontested fact.
 */
function findCurrentFact(statement: Statement, live: readonly Fact[]): Fact | undefined {
  const candidates = live
    .filter((fact) => isOpposed(fact, statement))
    .sort((one, other) => Number(other.denies) - Number(one.denies))
  return candidates.find((fact) => !isContested(fact)) ?? candidates[0]
}

function isOpposed({ is_same, denies, status, payload }: Fact, { fact: stated, at }: Statement): boolean {
  if (is_same || status !== 'active' || (!denies && isInList(payload))) return false
  return overlaps(payload.validity, stated.validity, at)
}

/** A policy that the known fact names decides in any case. */
function isInList({ predicate, revision_policy: policy }: SemanticPayload): boolean {
  return policy === undefined && isListPredicate(predicate)
}

function isContested({ payload }: Fact): boolean {
  return payload.revision?.status === 'contested'
}

/** Two records of a scope can say the same: a client may create a second one, or move it there. */
function listDuplicates(statement: Statement, { id, payload }: Fact, live: readonly Fact[]): string[] {
  const handle = createFactHandle(payload)
  const duplicates = live.filter(
    (fact) =>
      fact.id !== id &&
      isOpposed(fact, statement) &&
      !isContested(fact) &&
      hasSameDetail(createFactHandle(fact.payload), handle),
  )
  return duplicates.map((duplicate) => duplicate.id)
}

function isRepeatedBy({ payload }: Fact, { fact: stated, at }: Statement): boolean {
  return covers(payload.validity, stated.validity, at)
}

function isLive(fact: Fact): boolean {
  return !isHistory(fact.status) && fact.forgotten_at === null && !isRetracted(fact)
}

/** A withdrawn fact stays known as long as its row exists, even after it is forgotten. */
function isWithdrawn(fact: Fact): boolean {
  return fact.status === 'superseded' || fact.status === 'invalidated' || isRetracted(fact)
}

function isRetracted({ payload }: Fact): boolean {
  return payload.revision?.status === 'retracted'
}
