import type { Descent } from '../descents.ts'

/** `derived` rests on `source`, or at least names it. Where it `quotesAllSources` it says what each of its sources says. */
export type Derivation = {
  derived: string
  source: string
  kind: Descent['kind']
  isGround: boolean
  quotesAllSources: boolean
}

/**
 * The record, and step by step what rests on nothing else. What has another ground stays, and grounds must begin
 * somewhere: records that rest only on each other do not keep each other. Nothing keeps what tells all that its sources
 * say, for it tells of the one that goes as well.
 */
export function computeErasedIds(root: string, derivations: readonly Derivation[]): Set<string> {
  const grounds = derivations.filter(({ isGround, derived }) => isGround && derived !== root)
  const falling = new Set([root, ...grounds.map(({ derived }) => derived)])
  for (let before = 0; before !== falling.size; ) {
    before = falling.size
    const losing = new Set(grounds.flatMap(({ derived, source }) => (falling.has(source) ? derived : [])))
    for (const { derived, source, quotesAllSources } of grounds) {
      if (quotesAllSources ? !losing.has(derived) : !falling.has(source)) falling.delete(derived)
    }
  }
  return falling
}
