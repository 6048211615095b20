import type { MemoryKind, RecordType, Status } from '../../domain/schemas/vocabulary.ts'
import { getRank, type Trust, unscoped } from '../../domain/trust/caller.ts'
import type { NarrowerTrust, RetrieveQuery } from '../retrieval.schemas.ts'

/** A retrieval request with defaults filled in and the trust of its caller. */
export type Question = {
  trust: Trust
  /** When it is asked. */
  now: Date
  /** The instant that the answer describes. */
  at: Date
  /** Whether that instant is in the past, so that states must be reconstructed. */
  isPast: boolean
  types: readonly RecordType[] | undefined
  kinds: readonly MemoryKind[] | undefined
  layers: RetrieveQuery['layers']
  scopes: readonly string[] | undefined
  tags: readonly string[] | undefined
  minSalience: number | undefined
  minImportance: number | undefined
  statuses: readonly Status[]
  includesExpired: boolean
  /** Forgotten records answer too, as if nothing had been forgotten. Never for an answer that a client gets. */
  includesForgotten?: boolean
}

const kindsOfMode: Record<NonNullable<RetrieveQuery['mode']>, readonly MemoryKind[] | undefined> = {
  facts_only: ['fact'],
  facts_plus_rules: ['fact', 'procedure'],
  full_context: undefined,
}

export function readQuestion(input: RetrieveQuery, own: Trust, now: Date): Question {
  const at = input.as_of === undefined ? now : new Date(input.as_of)
  return {
    trust: narrowTrust(own, input.trust ?? {}),
    now,
    at,
    isPast: at < now,
    types: input.memory_types,
    kinds: kindsOfMode[input.mode ?? 'full_context'],
    layers: input.layers,
    scopes: input.scopes,
    tags: input.tags,
    minSalience: input.min_salience,
    minImportance: input.min_importance,
    statuses: [...new Set(['active' as const, ...(input.include_status ?? [])])].sort(),
    includesExpired: input.include_expired ?? false,
  }
}

/**
 * The intersection of the trust of the key and that of the request. Without a common scope only records without a
 * scope are left.
 */
export function narrowTrust(own: Trust, { max_sensitivity: input, scopes }: NarrowerTrust): Trust {
  const maxSensitivity =
    input !== undefined && getRank(input) < getRank(own.maxSensitivity) ? input : own.maxSensitivity
  if (!scopes || scopes.length === 0) return { maxSensitivity, scopes: own.scopes }
  return { maxSensitivity, scopes: own.scopes?.filter((scope) => scopes.includes(scope)) ?? scopes }
}

/** The scopes that an answer can come from; undefined for all scopes. */
export function listSearchedScopes({ scopes, trust }: Question): readonly string[] | undefined {
  return scopes ?? (trust.scopes ? [...trust.scopes, unscoped] : undefined)
}

/**
 * Whether redacted records may be part of the answer. They hide kind, layer, importance, tags and their past, so they
 * are left out when the question filters by one of these: otherwise their presence would reveal the hidden value.
 */
export function canShowRedacted({ kinds, layers, tags, minImportance, isPast }: Question): boolean {
  return !isPast && [kinds, layers, tags, minImportance].every((filter) => filter === undefined)
}
