import { computeCosine, type Embedding, hasDirection, normalise } from '../../domain/vectors/similarity.ts'
import type { SimilarityThresholds } from '../../domain/vectors/similarity-thresholds.ts'
import { compareTexts } from '../../kernel/text-order.ts'

/** Finds pairs of entities that may be connected in a way no record states yet. */

/** An entity, described by its facts. */
export type EntityOutline = { id: string; centroid: Embedding; tags: ReadonlySet<string>; factCount: number }

export type Pair = { one: string; other: string; similarity: number; factCount: number }

/** Tags added by this service do not show the context of a record. */
const serviceTags: ReadonlySet<string> = new Set(['consolidated', 'peer-card', 'synthesis'])

type FactVector = { vector: Embedding; tags: readonly string[] }

/** Returns undefined if the sum of the vectors is zero. */
export function createOutline(id: string, factVectors: readonly FactVector[]): EntityOutline | undefined {
  const [first] = factVectors
  if (!first) return undefined
  const sum = new Float32Array(first.vector.length)
  for (const { vector } of factVectors) {
    for (const [index, value] of normalise(vector).entries()) sum[index] = (sum[index] ?? 0) + value
  }
  if (!hasDirection(sum)) return undefined
  const tags = new Set(factVectors.flatMap((each) => each.tags).filter((tag) => !serviceTags.has(tag)))
  return { id, centroid: normalise(sum), tags, factCount: factVectors.length }
}

/**
 * Returns the pairs of an entity with others that are similar but not equal and share no tag, so they come from
 * different contexts.
 */
export function findSimilar(
  one: EntityOutline,
  others: readonly EntityOutline[],
  { least, most }: SimilarityThresholds['connected'],
): Pair[] {
  return others.flatMap((other) => {
    if (other.id === one.id || haveCommonTag(one.tags, other.tags)) return []
    const similarity = computeCosine(one.centroid, other.centroid)
    if (similarity < least || similarity > most) return []
    const [first, second] = one.id < other.id ? [one.id, other.id] : [other.id, one.id]
    return [{ one: first, other: second, similarity, factCount: Math.min(one.factCount, other.factCount) }]
  })
}

/** Sorts pairs with more facts first, then the more similar ones. The order is always the same. */
export function sortPairs(pairs: readonly Pair[]): Pair[] {
  const formatPair = ({ one, other }: Pair) => `${one} ${other}`
  return [...pairs].sort(
    (left, right) =>
      right.factCount - left.factCount ||
      right.similarity - left.similarity ||
      compareTexts(formatPair(left), formatPair(right)),
  )
}

function haveCommonTag(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const tag of one) if (other.has(tag)) return true
  return false
}
