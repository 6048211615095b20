import type { Sensitivity, SourceType } from '../../domain/caller.ts'
import { authorsOf, type Provenance } from '../../records/index.ts'

export type RecordSource = { provenance: Provenance; source_type: SourceType; sensitivity: Sensitivity }

/** What a record is said to come from when a client does not say: the name of its key. */
const byKey = /^api:(.+)$/s

/**
 * Whether a record is a witness of its own to what another says: told by somebody else, or from a source of another
 * kind. Who reads the other may not learn what was said in greater confidence, not even that it was.
 */
export function isIndependentSource(told: RecordSource, before: RecordSource): boolean {
  if (told.sensitivity !== before.sensitivity) return false
  if (told.source_type !== before.source_type) return true
  const [tellers, known] = [namesOf(told), namesOf(before)]
  return tellers.size > 0 && ![...tellers].some((name) => known.has(name))
}

function namesOf({ provenance }: RecordSource): Set<string> {
  const named = [...authorsOf(provenance)].filter((name) => name !== undefined)
  const keys = provenance.sources.flatMap(({ created_by: name, ref }) =>
    name === undefined ? (byKey.exec(ref)?.slice(1) ?? []) : [],
  )
  return new Set([...named, ...keys])
}
