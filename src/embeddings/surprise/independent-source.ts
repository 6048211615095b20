import type { Sensitivity, SourceType } from '../../domain/trust/caller.ts'
import { listAuthors, type Provenance } from '../../records/index.ts'

export type RecordSource = { provenance: Provenance; source_type: SourceType; sensitivity: Sensitivity }

/** The default source of a record: the name of the key that wrote it. */
const byKey = /^api:(.+)$/s

/**
 * Whether a record independently confirms another: it comes from another author or from a source of another type.
 * Both must have the same sensitivity, because readers of one must not learn that a more sensitive record says the
 * same.
 */
export function isIndependentSource(record: RecordSource, other: RecordSource): boolean {
  if (record.sensitivity !== other.sensitivity) return false
  if (record.source_type !== other.source_type) return true
  const writers = listNames(record)
  const known = listNames(other)
  return writers.size > 0 && ![...writers].some((name) => known.has(name))
}

function listNames({ provenance }: RecordSource): Set<string> {
  const named = [...listAuthors(provenance)].filter((name) => name !== undefined)
  const keys = provenance.sources.flatMap(({ created_by: name, ref }) =>
    name === undefined ? (byKey.exec(ref)?.slice(1) ?? []) : [],
  )
  return new Set([...named, ...keys])
}
