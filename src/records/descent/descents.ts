import type { Payload } from '../../domain/payloads/payloads.ts'
import { isUuid } from '../../kernel/ids.ts'
import type { Provenance } from '../provenance.schemas.ts'

/**
 * A descent says which record another record was made from. An erase follows descents, so only the service writes them
 * and no client can.
 */

/** The operation that derived one record from another. `contest` only remembers which edge a contest created. */
export const descentKinds = [
  'capture',
  'confirm',
  'mention',
  'consolidation',
  'dream',
  'supersede',
  'fork',
  'merge',
  'fold',
  'inherited',
  'claim',
  'contest',
] as const
export type DescentKind = (typeof descentKinds)[number]

/** The edge that an operation makes from the derived record to its source; undefined if it makes none. */
export function findDescentEdge(kind: DescentKind): 'supersedes' | 'derived_from' | undefined {
  if (kind === 'supersede' || kind === 'fold') return 'supersedes'
  return kindsWithEdge.has(kind) ? 'derived_from' : undefined
}

const kindsWithEdge: ReadonlySet<DescentKind> = new Set([
  'capture',
  'consolidation',
  'dream',
  'fork',
  'merge',
])

export type Descent = {
  derived_id: string
  source_id: string
  kind: DescentKind
  /**
   * A record that has grounds is erased together with the last of them. A record without grounds does not depend on any
   * other. Null means that the database decides: a confirmation is a ground only if the record already has one.
   */
  is_ground: boolean | null
}

/** The sources that a request body names: record ids, and whether it also names evidence that is not a record. */
export type NamedSources = { ids: readonly string[]; hasOtherEvidence: boolean }

/** A reference to a record is an id, with or without the prefix `record:`. */
export function parseRecordReference(ref: string): string | undefined {
  const id = ref.replace(/^record:/i, '').toLowerCase()
  return isUuid(id) ? id : undefined
}

export function findNamedSources(payload: Payload, provenance: Provenance | undefined): NamedSources {
  const evidence = payload.kind === 'semantic' ? payload.evidence.map(({ source_id: id }) => id) : []
  const sources = provenance?.sources.map(({ ref }) => ref) ?? []
  const named = [...evidence, ...sources].map(parseRecordReference)
  const ids = [...new Set(named.filter((id) => id !== undefined))]
  return { ids, hasOtherEvidence: named.includes(undefined) }
}

/**
 * Combines the descents that the service knows with the sources that the body names. `readable` holds the named records
 * that the caller reads in full. Every other name counts as evidence outside the store, so that an erase does not
 * reveal that a hidden record exists. A superseded record is a ground of its successor only if the successor has no
 * other ground.
 */
export function resolveDescents(
  id: string,
  known: readonly Descent[],
  { ids, hasOtherEvidence }: NamedSources,
  readable: ReadonlySet<string>,
): Descent[] {
  const recorded = new Set(known.map(({ source_id: source }) => source))
  const claimed = ids.filter((each) => each !== id && readable.has(each) && !recorded.has(each))
  const isIndependent =
    hasOtherEvidence || ids.some((each) => each !== id && !readable.has(each) && !recorded.has(each))
  const others = known.filter(({ kind }) => kind !== 'supersede')
  const hasOthers = others.length + claimed.length > 0
  const resolved = known.map((each) => ({
    ...each,
    is_ground: each.is_ground ?? (!isIndependent && (each.kind !== 'supersede' || !hasOthers)),
  }))
  const claims = claimed.map((source) => ({
    derived_id: id,
    source_id: source,
    kind: 'claim' as const,
    is_ground: !isIndependent,
  }))
  return [...resolved, ...claims]
}

type DescentEdge = { predicate: string; target_id: string }

/**
 * The descents of a record from a version that did not record them: the records that its edges derive it from and that
 * its body also names.
 */
export function inferDescents(
  edges: readonly DescentEdge[],
  { ids, hasOtherEvidence }: NamedSources,
): Omit<Descent, 'derived_id'>[] {
  const named = new Set(ids)
  return edges.flatMap(({ predicate, target_id: source }) =>
    predicate === 'derived_from' && named.has(source)
      ? [{ source_id: source, kind: 'inherited' as const, is_ground: !hasOtherEvidence }]
      : [],
  )
}
