import type { Descent } from '../descent/descents.ts'

/**
 * `derived` was made from `source` or names it. With `quotesAllSources` it can repeat the words of each of its sources. With
 * `givesName` it is an entity that got a name from the source.
 */
export type Derivation = {
  derived: string
  source: string
  kind: Descent['kind']
  isGround: boolean
  quotesAllSources: boolean
  givesName: boolean
}

/**
 * The ids to erase: the root, and every record that has no ground left. A record with another ground stays, but records
 * that are grounds only of each other do not keep each other. A record that quotes all its sources is always erased,
 * because it repeats words of the erased one, or the name of an entity that got it from the erased one.
 */
export function computeErasedIds(root: string, derivations: readonly Derivation[]): Set<string> {
  const grounds = derivations.filter(({ isGround, derived }) => isGround && derived !== root)
  const erased = new Set([root, ...grounds.map(({ derived }) => derived)])
  for (let before = 0; before !== erased.size; ) {
    before = erased.size
    const renamed = new Set(
      derivations.flatMap(({ derived, source, givesName }) =>
        givesName && erased.has(source) ? derived : [],
      ),
    )
    const losingGround = new Set(
      grounds.flatMap(({ derived, source }) => (erased.has(source) || renamed.has(source) ? derived : [])),
    )
    for (const { derived, source, quotesAllSources } of grounds) {
      if (quotesAllSources ? !losingGround.has(derived) : !erased.has(source)) erased.delete(derived)
    }
  }
  return erased
}
