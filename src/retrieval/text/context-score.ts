import { b, k1, type StoreSize } from './search-plan.ts'

/**
 * Relevance of a message in its conversation. The answer to a question often stands beside the message that shares the
 * words of the question, so a message has the words of its neighbours too, with less weight.
 */

/** How often each word of the question occurs in a message, how many words the message has, and whether it asks something. */
export type MessageWords = { counts: readonly number[]; words: number; asks: boolean }

/**
 * The weight of the words of a neighbour, by its distance. The message after a question is mostly its answer, and has the
 * words of the question in full. Other neighbours may be about something else.
 */
const neighbourWeights: readonly (readonly [offset: number, statement: number, question: number])[] = [
  [-2, 0.3, 0.3],
  [-1, 0.2, 1],
  [1, 0.1, 0.2],
  [2, 0.1, 0.2],
]

/** The usual length of a message with its neighbours, as a multiple of one message; chosen by figures. */
const fullWeight = 2.5

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
  const near = neighbourWeights.flatMap(([offset, statement, question]) => {
    const message = messages[place + offset]
    return message ? [{ message, weight: message.asks ? question : statement }] : []
  })
  const counts = idfs.map((_, word) =>
    near.reduce(
      (sum, { message, weight }) => sum + weight * (message.counts[word] ?? 0),
      own.counts[word] ?? 0,
    ),
  )
  const words = near.reduce((sum, { message, weight }) => sum + weight * message.words, own.words)
  const inContext = computeBm25({ counts, words }, idfs, averageLength * fullWeight, contextB)
  const alone = computeBm25(own, idfs, averageLength, b)
  return Math.round(((1 - ownShare) * inContext + ownShare * alone) * 1e9) / 1e9
}

function computeBm25(
  { counts, words }: Omit<MessageWords, 'asks'>,
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
