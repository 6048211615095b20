import type { ContentRow } from '../rows.ts'

/** `derived` was made from `source`. Where it `tellsAll` it says what each of its sources says. */
export type Derivation = { derived: string; source: string; tellsAll?: boolean }

/**
 * The record, and what was derived from it alone, step by step. What has other evidence stays, and evidence
 * must begin somewhere: records that only name each other do not keep each other. No other evidence keeps what tells
 * all that its sources say, for it tells of the one that goes as well.
 */
export function fallingWith(root: string, derivations: readonly Derivation[]): Set<string> {
  const falling = new Set([root, ...derivations.map(({ derived }) => derived)])
  for (let before = 0; before !== falling.size; ) {
    before = falling.size
    const telling = new Set(
      derivations.flatMap(({ derived, source, tellsAll }) =>
        tellsAll && falling.has(source) ? derived : [],
      ),
    )
    for (const { derived, source, tellsAll } of derivations) {
      const isFalling = tellsAll ? telling.has(derived) : falling.has(source)
      if (derived !== root && !isFalling) falling.delete(derived)
    }
  }
  return falling
}

type Origins = Pick<ContentRow, 'payload' | 'provenance'>

/**
 * What stays no longer names what went as a source or as evidence. A record must have a source, so one that
 * loses its last is said to come from something erased.
 */
export function forgetSources(origins: Origins, erased: ReadonlySet<string>): Partial<Origins> {
  const { payload, provenance } = origins
  const sources = provenance.sources.filter(({ ref }) => !names(ref, erased))
  const isChanged = sources.length < provenance.sources.length
  const left = sources.length > 0 ? sources : [{ kind: 'event' as const, ref: 'erased' }]
  const kept = isChanged ? { provenance: { ...provenance, sources: left } } : {}
  if (payload.kind !== 'semantic') return kept
  const evidence = payload.evidence.filter(({ source_id: id }) => !names(id, erased))
  return evidence.length < payload.evidence.length ? { ...kept, payload: { ...payload, evidence } } : kept
}

/** References are written as a bare id or with a prefix, such as `record:<id>`. */
function names(ref: string, ids: ReadonlySet<string>): boolean {
  return ids.has(ref.slice(-36).toLowerCase())
}
