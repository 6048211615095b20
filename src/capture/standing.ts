import type { KnownRecord } from '../records/index.ts'
import type { SemanticPayload } from '../records/payloads.ts'
import { isHistory } from '../records/vocabulary.ts'

/** What becomes of a fact that was just told, by what is known of its topic. */
export type Fate =
  | { outcome: 'created' }
  /** It stands already. */
  | { outcome: 'confirmed'; id: string }
  /** It was folded into another record, which says it now; if that one still stands. */
  | { outcome: 'merged'; id: string; other?: string }
  /** It was withdrawn once: repeating it does not bring it back. */
  | { outcome: 'challenged'; other?: string }
  /** Another object stands, and its policy decides. */
  | { outcome: 'replaced' | 'forked' | 'contested'; policy: Policy; other: string }

type Policy = NonNullable<SemanticPayload['revision_policy']>
type Fact = KnownRecord & { payload: SemanticPayload }

const outcomeOf = { replace: 'replaced', fork: 'forked', contest: 'contested' } as const

/** `known` bear the topic, those with the same object first among them, the newest first. */
export function judgeFact(told: SemanticPayload, known: readonly KnownRecord[], scope: string): Fate {
  const facts = known.filter(
    (each): each is Fact => each.scope === scope && each.payload?.kind === 'semantic',
  )
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
