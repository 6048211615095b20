import type { StoreSize } from './search-plan.ts'

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

const k1 = 1.2
/** Less than BM25's usual 0.75: neighbours make the lengths more equal, and what is left tells less. */
const b = 0.5

/** BM25 of each message at `place`, over its own words and those of its neighbours in the list. */
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
  const length = near.reduce((sum, { message, weight }) => sum + weight * message.words, own.words)
  const norm = k1 * (1 - b + (b * length) / (averageLength * fullWeight))
  const score = idfs.reduce((sum, idf, word) => {
    const count = near.reduce(
      (counted, { message, weight }) => counted + weight * (message.counts[word] ?? 0),
      own.counts[word] ?? 0,
    )
    return sum + (idf * count * (k1 + 1)) / (count + norm)
  }, 0)
  return Math.round(score * 1e9) / 1e9
}
