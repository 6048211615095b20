import { b, k1, type StoreSize } from './search-plan.ts'

/**
 * Relevance of a message in its conversation. The answer to a question often stands beside the message that shares the
 * words of the question, so a message has the words of its neighbours too, with less weight.
 */

/** How often each word of the question occurs in a message, and how many words the message has. */
export type MessageWords = { counts: readonly number[]; words: number }

/** The weight of the words of a neighbour, by its distance. What comes before says more: it is often the question. */
const neighbourWeights: readonly (readonly [offset: number, weight: number])[] = [
  [-2, 0.3],
  [-1, 0.7],
  [1, 0.3],
  [2, 0.2],
]

/** What a message with all of its neighbours has, as a multiple of one message. */
const fullWeight = 1 + neighbourWeights.reduce((sum, [, weight]) => sum + weight, 0)

/** How far a neighbour can be. */
export const reach = 2

/** Less than the usual 0.75: neighbours make the lengths more equal, and the difference that is left matters less. */
const contextB = 0.5

/** How much the message alone counts beside the message in its context. Without it, updates of a statement lose to older ones. */
const ownShare = 0.15

/** BM25 of the message at `place`: mostly over its words and those of its neighbours in the list, partly over its own alone. */
export function scoreInContext(
  messages: readonly MessageWords[],
  place: number,
  idfs: readonly number[],
  { averageLength }: Pick<StoreSize, 'averageLength'>,
): number {
  const own = messages[place]
  if (!own) return 0
  const near = neighbourWeights.flatMap(([offset, weight]) => {
    const message = messages[place + offset]
    return message ? [{ message, weight }] : []
  })
  const counts = idfs.map((_, word) =>
    near.reduce(
      (sum, { message, weight }) => sum + weight * (message.counts[word] ?? 0),
      own.counts[word] ?? 0,
    ),
  )
  const words = near.reduce((sum, { message, weight }) => sum + weight * message.words, own.words)
  const inContext = bm25({ counts, words }, idfs, averageLength * fullWeight, contextB)
  const alone = bm25(own, idfs, averageLength, b)
  return Math.round(((1 - ownShare) * inContext + ownShare * alone) * 1e9) / 1e9
}

function bm25(
  { counts, words }: MessageWords,
  idfs: readonly number[],
  averageLength: number,
  lengthShare: number,
): number {
  const norm = k1 * (1 - lengthShare + (lengthShare * words) / averageLength)
  return idfs.reduce((sum, idf, word) => {
    const count = counts[word] ?? 0
    return sum + (idf * count * (k1 + 1)) / (count + norm)
  }, 0)
}
