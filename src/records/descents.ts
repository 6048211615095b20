import type { Payload } from '../domain/payloads.ts'
import type { Provenance } from './records.schemas.ts'

/** What a record was made from. The service records it, and an erase follows it: no client can write it. */

/** How one record came to rest on another. `contest` only remembers which edge a contest made. */
export const descentKinds = [
  ...(['capture', 'confirm', 'mention', 'consolidation', 'dream'] as const),
  ...(['supersede', 'fork', 'merge', 'fold', 'inherited', 'claim', 'contest'] as const),
] as const
export type DescentKind = (typeof descentKinds)[number]

export type Descent = {
  derived_id: string
  source_id: string
  kind: DescentKind
  /**
   * A record that has grounds is erased with the last of them; one that has none stands by itself. Null where it
   * depends on the record that is there: what confirms a record is one more ground if it has any.
   */
  is_ground: boolean | null
}

/** What a body says that a record rests on: the ids it names, and whether it names anything that is no id. */
export type NamedSources = { ids: readonly string[]; hasOtherEvidence: boolean }

const uuid = /^(?:record:)?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i

/** A reference is a bare id, or an id behind `record:`. */
export function parseRecordReference(ref: string): string | undefined {
  return uuid.exec(ref)?.[1]?.toLowerCase()
}

export function findNamedSources(payload: Payload, provenance: Provenance | undefined): NamedSources {
  const evidence = payload.kind === 'semantic' ? payload.evidence.map(({ source_id: id }) => id) : []
  const sources = provenance?.sources.map(({ ref }) => ref) ?? []
  const named = [...evidence, ...sources].map(parseRecordReference)
  const ids = [...new Set(named.filter((id) => id !== undefined))]
  return { ids, hasOtherEvidence: named.includes(undefined) }
}

/**
 * What a body claims, with what the service knows of the record. `seen` are the named records that the caller sees
 * whole: any other name is evidence of the caller's own, or an erase would tell of a record that is hidden. What was
 * superseded does not vouch for what took its place, unless nothing else does.
 */
export function resolveDescents(
  id: string,
  known: readonly Descent[],
  { ids, hasOtherEvidence: isOwn }: NamedSources,
  seen: ReadonlySet<string>,
): Descent[] {
  const recorded = new Set(known.map(({ source_id: source }) => source))
  const claimed = ids.filter((each) => each !== id && seen.has(each) && !recorded.has(each))
  const standsAlone = isOwn || ids.some((each) => each !== id && !seen.has(each) && !recorded.has(each))
  const others = known.filter(({ kind }) => kind !== 'supersede')
  const hasOthers = others.length + claimed.length > 0
  const settled = known.map((each) => ({
    ...each,
    is_ground: each.is_ground ?? (!standsAlone && (each.kind !== 'supersede' || !hasOthers)),
  }))
  const claims = claimed.map((source) => ({
    ...{ derived_id: id, source_id: source, kind: 'claim' as const, is_ground: !standsAlone },
  }))
  return [...settled, ...claims]
}

type DescentEdge = { predicate: string; target_id: string }

/** Of a record whose descent was never recorded: what it is derived from by its edges, and names as well. */
export function inferDescents(
  edges: readonly DescentEdge[],
  { ids, hasOtherEvidence: isOwn }: NamedSources,
): Omit<Descent, 'derived_id'>[] {
  const named = new Set(ids)
  return edges.flatMap(({ predicate, target_id: source }) =>
    predicate === 'derived_from' && named.has(source)
      ? [{ source_id: source, kind: 'inherited' as const, is_ground: !isOwn }]
      : [],
  )
}
