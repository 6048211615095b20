import { rankOf, type Sensitivity, type Trust, unscoped } from '../domain/caller.ts'
import type { RecordType } from '../domain/vocabulary.ts'
import type { RetrieveQuery } from './retrieval.schemas.ts'

/** What is looked for: a request, with its defaults filled in and what its caller may see. */
export type Question = {
  trust: Trust
  /** The instant that is answered as of. */
  at: Date
  /** That instant lies behind, and its state has to be worked out. */
  isPast: boolean
  types: readonly RecordType[] | undefined
  kinds: readonly Kind[] | undefined
  layers: RetrieveQuery['layers']
  scopes: readonly string[] | undefined
  tags: readonly string[] | undefined
  minSalience: number | undefined
  minImportance: number | undefined
  statuses: readonly Status[]
  includesExpired: boolean
}

type Status = NonNullable<RetrieveQuery['include_status']>[number]
type Kind = 'fact' | 'procedure' | 'narrative'

const kindsOfMode: Record<NonNullable<RetrieveQuery['mode']>, readonly Kind[] | undefined> = {
  facts_only: ['fact'],
  facts_plus_rules: ['fact', 'procedure'],
  full_context: undefined,
}

export function readQuestion(asked: RetrieveQuery, own: Trust, now: Date): Question {
  const at = asked.as_of === undefined ? now : new Date(asked.as_of)
  return {
    trust: narrowTrust(own, asked.trust ?? {}),
    at,
    isPast: at < now,
    types: asked.memory_types,
    kinds: kindsOfMode[asked.mode ?? 'full_context'],
    layers: asked.layers,
    scopes: asked.scopes,
    tags: asked.tags,
    minSalience: asked.min_salience,
    minImportance: asked.min_importance,
    statuses: [...new Set(['active' as const, ...(asked.include_status ?? [])])].sort(),
    includesExpired: asked.include_expired ?? false,
  }
}

type NarrowerTrust = { max_sensitivity?: Sensitivity; scopes?: readonly string[] }

/** What both the key and the request allow. No scope in common is not no restriction: it leaves what has no scope. */
export function narrowTrust(own: Trust, { max_sensitivity: asked, scopes }: NarrowerTrust): Trust {
  const maxSensitivity =
    asked !== undefined && rankOf(asked) < rankOf(own.maxSensitivity) ? asked : own.maxSensitivity
  if (!scopes || scopes.length === 0) return { maxSensitivity, scopes: own.scopes }
  return { maxSensitivity, scopes: own.scopes?.filter((scope) => scopes.includes(scope)) ?? scopes }
}

/** The scopes in which all that answers must be; undefined where it may be in any. */
export function searchedScopes({ scopes, trust }: Question): readonly string[] | undefined {
  return scopes ?? (trust.scopes ? [...trust.scopes, unscoped] : undefined)
}

/**
 * A redacted record shows neither kind, layer, importance nor what it was like before. Where one of these is asked
 * for it stays away, or its coming would tell what it hides; and it is never found by its tags.
 */
export function canShowRedacted({ kinds, layers, tags, minImportance, isPast }: Question): boolean {
  return !isPast && [kinds, layers, tags, minImportance].every((filter) => filter === undefined)
}
