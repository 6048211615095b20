import { cosine, type Embedding, hasDirection, normalise } from '../../domain/similarity.ts'

/** Which two entities may have something to do with each other that nobody has said yet. */

/** An entity by what is known of it. */
export type Outlined = { id: string; centroid: Embedding; tags: ReadonlySet<string>; known: number }

export type Pair = { one: string; other: string; similarity: number; known: number }

/** Nearer, and they are one thing told twice; farther apart, and they have nothing to do with each other. */
export const nearness = { least: 0.75, most: 0.9 } as const

/** What this service tags by itself says nothing of where a record belongs. */
const serviceTags: ReadonlySet<string> = new Set(['consolidated', 'peer-card', 'synthesis'])

type Said = { vector: Embedding; tags: readonly string[] }

/** Undefined where what is known has no direction. */
export function outlineOf(id: string, said: readonly Said[]): Outlined | undefined {
  const [first] = said
  if (!first) return undefined
  const sum = new Float32Array(first.vector.length)
  for (const { vector } of said) {
    for (const [index, value] of normalise(vector).entries()) sum[index] = (sum[index] ?? 0) + value
  }
  if (!hasDirection(sum)) return undefined
  const tags = new Set(said.flatMap((each) => each.tags).filter((tag) => !serviceTags.has(tag)))
  return { id, centroid: normalise(sum), tags, known: said.length }
}

/** Of one entity with each of the others: from different contexts, which share no tag, and alike but not the same. */
export function pairsOf(one: Outlined, others: readonly Outlined[]): Pair[] {
  return others.flatMap((other) => {
    if (other.id === one.id || shares(one.tags, other.tags)) return []
    const similarity = cosine(one.centroid, other.centroid)
    if (similarity < nearness.least || similarity > nearness.most) return []
    const [first, second] = one.id < other.id ? [one.id, other.id] : [other.id, one.id]
    return [{ one: first, other: second, similarity, known: Math.min(one.known, other.known) }]
  })
}

/** Those of which more is known first, then the nearer; always in the same order. */
export function inOrder(pairs: readonly Pair[]): Pair[] {
  const keyOf = ({ one, other }: Pair) => `${one} ${other}`
  return [...pairs].sort(
    (left, right) =>
      right.known - left.known ||
      right.similarity - left.similarity ||
      (keyOf(left) < keyOf(right) ? -1 : Number(keyOf(left) > keyOf(right))),
  )
}

function shares(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const tag of one) if (other.has(tag)) return true
  return false
}
