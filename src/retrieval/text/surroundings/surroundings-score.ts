import { b, k1 } from '../bm25.ts'
import type { StoreSize } from '../statistics/word-statistics.ts'

/**
 * Relevance of a message in its conversation. The answer to a question often stands beside the message that shares the
 * words of the question, so a message has the words of its neighbours too, with less weight.
 */

export type MessageWords = {
  /** How often it contains each word of the question. */
  counts: readonly number[]
  /** How many words it has. */
  words: number
  /** Whether it asks something. */
  asks: boolean
  /** Who wrote it, as a number among the messages that are scored together; 0 where no name is known. */
  speaker: number
}

/** Where the neighbours of a message are. */
const offsets = [-2, -1, 1, 2]
/** How far a neighbour can be. */
export const reach = Math.max(...offsets)

/**
 * The weight of the words of a neighbour. Who writes several messages in a row goes on about the same thing. The message after
 * a question of another speaker is mostly its answer, and has the words of the question in full. The first message of a session says
 * what the next ones are about, and has no neighbours before it.
 */
const neighbourWeights = { sameSpeaker: 0.4, questionBefore: 1, before: 0.25, after: 0.1, afterFirst: 0.2 }

/**
 * In words. A longer message that asks something mostly says something else, such as an answer of an assistant that ends with an offer:
 * the longer it is, the more it counts as a statement. docs/quality-experiments.md has the figures.
 */
const longestAsking = 80

/** The usual length of a message with its neighbours, as a multiple of one message; chosen by figures. */
const fullWeight = 3

/** Less than the usual 0.75: neighbours make the lengths more equal, and the difference that is left matters less. */
const surroundingsB = 0.5

/** How much the message alone counts beside the message with its neighbours. Without it, updates of a statement lose to older ones. */
const ownShare = 0.15

/**
 * In words. A longer message, such as an answer of an assistant, says itself what it is about: the longer it is, the more it is scored
 * by its own words.
 */
const longestDependent = 100

/** Scores the message at `place` by BM25: a short one mostly by its words together with those of its neighbours in the list. */
export function scoreWithNeighbours(
  messages: readonly MessageWords[],
  place: number,
  idfs: readonly number[],
  { averageLength }: Pick<StoreSize, 'averageLength'>,
): number {
  const own = messages[place]
  if (!own) return 0
  const dependence = Math.min(1, longestDependent / own.words) ** 2
  const inContext = scoreInContext(own, listNear(messages, place, own), idfs, averageLength)
  // In a store of short messages, a long one is not less relevant.
  const byItself = dependence === 1 ? 0 : computeBm25(own, idfs, Math.max(averageLength, longestDependent), b)
  return Math.round((dependence * inContext + (1 - dependence) * byItself) * 1e9) / 1e9
}

type Neighbour = { message: MessageWords; weight: number }

function listNear(messages: readonly MessageWords[], place: number, own: MessageWords): Neighbour[] {
  return offsets.flatMap((offset) => {
    const message = messages[place + offset]
    return message
      ? [{ message, weight: weighNeighbour(own, message, { offset, isFirst: place === 0 }) }]
      : []
  })
}

/** Scores mostly the words of a message with those of its neighbours, and partly its own words alone. */
function scoreInContext(
  own: MessageWords,
  near: readonly Neighbour[],
  idfs: readonly number[],
  averageLength: number,
): number {
  const counts = idfs.map((_, word) =>
    near.reduce(
      (sum, { message, weight }) => sum + weight * (message.counts[word] ?? 0),
      own.counts[word] ?? 0,
    ),
  )
  const words = near.reduce((sum, { message, weight }) => sum + weight * message.words, own.words)
  const withNeighbours = computeBm25({ counts, words }, idfs, averageLength * fullWeight, surroundingsB)
  const alone = computeBm25(own, idfs, averageLength, b)
  return (1 - ownShare) * withNeighbours + ownShare * alone
}

function weighNeighbour(
  own: MessageWords,
  { speaker, asks, words }: MessageWords,
  { offset, isFirst }: { offset: number; isFirst: boolean },
): number {
  const { sameSpeaker, questionBefore, before, after, afterFirst } = neighbourWeights
  if (speaker !== 0 && speaker === own.speaker) return sameSpeaker
  if (asks && offset === -1)
    return before + Math.min(1, longestAsking / words) ** 2 * (questionBefore - before)
  if (offset < 0) return before
  return isFirst ? afterFirst : after
}

function computeBm25(
  { counts, words }: Pick<MessageWords, 'counts' | 'words'>,
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
