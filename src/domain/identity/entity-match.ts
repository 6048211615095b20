import { unscoped } from '../trust/caller.ts'
import { normaliseName } from '../words/names.ts'

/** Decides which of several candidate entities a mention means. */

/** Unspecific kinds: they fit every other kind. */
const generic: ReadonlySet<string> = new Set(['', 'other', 'concept'])

export function isGenericKind(kind: string): boolean {
  return generic.has(normaliseName(kind))
}

export function isCompatibleKind(kind: string, other: string): boolean {
  return isGenericKind(kind) || isGenericKind(other) || normaliseName(kind) === normaliseName(other)
}

export type MentionedName = { surface: string; entity_kind: string }

export type Candidate = {
  id: string
  scope: string
  status: string
  created_at: Date
  payload: {
    canonical_name: string
    primary_type: string
    types: readonly string[]
    aliases: readonly { value: string }[]
    identifiers: readonly { namespace: string; value: string }[]
  }
}

/**
 * Chooses the entity that a mention means; undefined when none matches. An identifier matches before a name or alias
 * with a compatible kind. Entities of the same scope come before those without a scope; entities of another scope
 * never match. Ties are decided in a fixed order: canonical name before alias, active before challenged, oldest,
 * lowest id.
 */
export function chooseEntity<C extends Candidate>(
  mention: MentionedName,
  candidates: readonly C[],
  scope: string,
): C | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, rank: computeRank(mention, candidate, scope) }))
    .filter((each): each is { candidate: C; rank: Rank } => each.rank !== undefined)
  const [first, ...others] = ranked
  if (!first) return undefined
  return others.reduce((best, each) => (isBefore(each.rank, best.rank) ? each : best), first).candidate
}

type Rank = readonly (number | string)[]

function computeRank(mention: MentionedName, candidate: Candidate, scope: string): Rank | undefined {
  const isOwn = candidate.scope === scope
  if (!isOwn && candidate.scope !== unscoped) return undefined
  if (candidate.status !== 'active' && candidate.status !== 'challenged') return undefined
  const match = findMatch(mention, candidate)
  if (match === undefined) return undefined
  return [
    match === 'identifier' ? 0 : 1,
    isOwn ? 0 : 1,
    match === 'alias' ? 1 : 0,
    candidate.status === 'active' ? 0 : 1,
    candidate.created_at.getTime(),
    candidate.id,
  ]
}

export function findMatch({ surface, entity_kind: kind }: MentionedName, { payload }: Candidate) {
  const { identifiers, aliases, kinds } = readNames(payload)
  if (identifiers.has(surface.trim())) return 'identifier'
  const hasKind = kinds.has(normaliseName(kind)) || [...generic].some((each) => kinds.has(each))
  if (!hasKind && !isGenericKind(kind)) return undefined
  const name = normaliseName(surface)
  if (normaliseName(payload.canonical_name) === name) return 'name'
  return aliases.has(name) ? 'alias' : undefined
}

type Names = Record<'identifiers' | 'aliases' | 'kinds', ReadonlySet<string>>
const namesOf = new WeakMap<Candidate['payload'], Names>()

/**
 * What an entity may be called, and what it is. Kept with the payload, because one capture compares it with every name that it
 * contains.
 */
function readNames(payload: Candidate['payload']): Names {
  const known = namesOf.get(payload)
  if (known) return known
  const names = {
    identifiers: new Set(
      payload.identifiers.flatMap(({ namespace, value }) => [value, `${namespace}:${value}`]),
    ),
    aliases: new Set(payload.aliases.map(({ value }) => normaliseName(value))),
    kinds: new Set([payload.primary_type, ...payload.types].map(normaliseName)),
  }
  namesOf.set(payload, names)
  return names
}

function isBefore(one: Rank, other: Rank): boolean {
  const at = one.findIndex((part, index) => part !== other[index])
  const mine = one[at] ?? 0
  const theirs = other[at] ?? 0
  return mine < theirs
}
