import { cosine, type Embedding, hasDirection, normalise } from '../../domain/similarity.ts'

/** Which two entities may have something to do with each other that nobody has said yet. */

/** An entity by what is known of it. */
export type EntityOutline = { id: string; centroid: Embedding; tags: ReadonlySet<string>; factCount: number }

export type Pair = { one: string; other: string; similarity: number; factCount: number }

/** Nearer, and they are one thing told twice; farther apart, and they have nothing to do with each other. */
export const similarityRange = { least: 0.75, most: 0.9 } as const

/** What this service tags by itself says nothing of where a record belongs. */
const serviceTags: ReadonlySet<string> = new Set(['consolidated', 'peer-card', 'synthesis'])

type FactVector = { vector: Embedding; tags: readonly string[] }

/** Undefined where what is known has no direction. */
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

/** Of one entity with each of the others: from different contexts, which share no tag, and alike but not the same. */
export function findSimilar(one: EntityOutline, others: readonly EntityOutline[]): Pair[] {
  return others.flatMap((other) => {
    if (other.id === one.id || haveCommonTag(one.tags, other.tags)) return []
    const similarity = cosine(one.centroid, other.centroid)
    if (similarity < similarityRange.least || similarity > similarityRange.most) return []
    const [first, second] = one.id < other.id ? [one.id, other.id] : [other.id, one.id]
    return [{ one: first, other: second, similarity, factCount: Math.min(one.factCount, other.factCount) }]
  })
}

/** Those of which more is known first, then the nearer; always in the same order. */
export function sortPairs(pairs: readonly Pair[]): Pair[] {
  const keyOf = ({ one, other }: Pair) => `${one} ${other}`
  return [...pairs].sort(
    (left, right) =>
      right.factCount - left.factCount ||
      right.similarity - left.similarity ||
      (keyOf(left) < keyOf(right) ? -1 : Number(keyOf(left) > keyOf(right))),
  )
}

function haveCommonTag(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const tag of one) if (other.has(tag)) return true
  return false
}
