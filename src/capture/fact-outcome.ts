import type { Sensitivity } from '../domain/caller.ts'
import type { SemanticPayload } from '../domain/payloads.ts'
import { isHistory } from '../domain/vocabulary.ts'
import type { KnownRecord } from '../records/index.ts'

/** What becomes of a fact that was just told, by what is known of its topic. */
export type Fate =
  /** `beside` is a fact of a lower sensitivity or of no scope on the same topic: it is linked to, and stays as it is. */
  | { outcome: 'created'; beside?: Beside }
  /** It stands already. */
  | { outcome: 'confirmed'; id: string }
  /** It was folded into another record, which says it now; if that one still stands. */
  | { outcome: 'merged'; id: string; other?: string }
  /** It was withdrawn once: repeating it does not bring it back. */
  | { outcome: 'challenged'; other?: string }
  /** Another object stands, and its policy decides. */
  | { outcome: 'replaced' | 'forked' | 'contested'; policy: Policy; other: string }

export type Beside = { id: string; predicate: 'supports' | 'contradicts' }
/** Where what is captured belongs. Only facts of the same scope and sensitivity are confirmed, contested or superseded. */
export type Place = { scope: string; sensitivity: Sensitivity }

type Policy = NonNullable<SemanticPayload['revision_policy']>
type Fact = KnownRecord & { payload: SemanticPayload }

const outcomeOf = { replace: 'replaced', fork: 'forked', contest: 'contested' } as const

/** `known` bear the topic, those with the same object first among them, the newest first. */
export function judgeFact(told: SemanticPayload, known: readonly KnownRecord[], place: Place): Fate {
  const readable = known.filter((each): each is Fact => each.payload?.kind === 'semantic')
  const isOwn = ({ scope, sensitivity }: Fact) => scope === place.scope && sensitivity === place.sensitivity
  const fate = judgeOwn(told, readable.filter(isOwn))
  if (fate.outcome !== 'created') return fate
  const others = readable.filter((fact) => !isOwn(fact))
  const live = others.filter(isLive)
  // What was withdrawn in the open does not come back in confidence.
  const isTaken = (fact: Fact) => fact.is_same && fact.scope === place.scope && isWithdrawn(fact)
  const beside = findBeside(told, live)
  if (beside?.predicate !== 'supports' && others.some(isTaken)) {
    return { outcome: 'challenged', ...(beside ? { other: beside.id } : {}) }
  }
  return { outcome: 'created', ...(beside ? { beside } : {}) }
}

function findBeside(told: SemanticPayload, live: readonly Fact[]): Beside | undefined {
  const same = live.find(({ is_same }) => is_same)
  if (same) return { id: same.id, predicate: 'supports' }
  const standing = findStanding(told, live)
  const isOpposed = standing && (standing.payload.revision_policy ?? 'contest') !== 'fork'
  return isOpposed ? { id: standing.id, predicate: 'contradicts' } : undefined
}

function judgeOwn(told: SemanticPayload, facts: readonly Fact[]): Fate {
  const live = facts.filter(isLive)
  const same = facts.filter((fact) => fact.is_same)
  const repeated =
    live.find((fact) => fact.is_same && fact.status === 'active') ?? live.find(({ is_same }) => is_same)
  if (repeated) return { outcome: 'confirmed', id: repeated.id }
  const standing = findStanding(told, live)
  const other = standing ? { other: standing.id } : {}
  const folded = same.find(({ status }) => status === 'merged')
  if (folded) return { outcome: 'merged', id: folded.id, ...other }
  if (same.some(isWithdrawn)) return { outcome: 'challenged', ...other }
  if (!standing) return { outcome: 'created' }
  const policy = standing.payload.revision_policy ?? 'contest'
  return { outcome: outcomeOf[policy], policy, other: standing.id }
}

/** The newest that is not contested yet, else the newest of all: each contest leaves one that stands. */
function findStanding(told: SemanticPayload, live: readonly Fact[]): Fact | undefined {
  const rivals = live.filter(
    (fact) => fact.status === 'active' && meets(fact.payload.validity, told.validity),
  )
  return rivals.find(({ payload }) => payload.revision?.status !== 'contested') ?? rivals[0]
}

function isLive(fact: Fact): boolean {
  return !isHistory(fact.status) && fact.forgotten_at === null && !isRetracted(fact)
}

/** Though it be forgotten meanwhile, that it was withdrawn is known for as long as its row is. */
function isWithdrawn(fact: Fact): boolean {
  return fact.status === 'superseded' || fact.status === 'invalidated' || isRetracted(fact)
}

function isRetracted({ payload }: Fact): boolean {
  return payload.revision?.status === 'retracted'
}

type Validity = SemanticPayload['validity']

/** Two facts can hold side by side where their times do not overlap, or their conditions differ. */
function meets(one: Validity, other: Validity): boolean {
  if (one.mode === 'conditional' || other.mode === 'conditional') {
    return JSON.stringify(one.conditions ?? null) === JSON.stringify(other.conditions ?? null)
  }
  return startOf(one) < endOf(other) && startOf(other) < endOf(one)
}

function startOf({ mode, start }: Validity): number {
  return mode === 'timeboxed' && start !== undefined ? Date.parse(start) : Number.NEGATIVE_INFINITY
}

function endOf({ mode, end }: Validity): number {
  return mode === 'timeboxed' && end !== undefined ? Date.parse(end) : Number.POSITIVE_INFINITY
}
