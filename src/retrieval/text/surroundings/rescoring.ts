import type { Conditions } from '../../../db/fragments/conditions.ts'
import { compareMatches, type Match } from '../../channels/match.ts'
import type { RankedMatches } from '../ranked-matches.ts'
import { createRelatedSum } from '../stems/related-stems.ts'
import type { ConversationMessage } from './surroundings.queries.ts'
import { reach, scoreWithNeighbours } from './surroundings-score.ts'

/** Scores the best matches again, with the messages around them. */

export type SurroundingsOptions = {
  /** Which messages count for those around them; on `records as r`. */
  contextConditions: Conditions
  /** A longer pause between two messages ends the surroundings. */
  gapMs: number
  /** How many records are requested in the end. */
  requested: number
}

/**
 * Around how many of the best matches messages are read: twice as many as are requested, within these limits. If ten are requested,
 * 20 find as much as 30 and take a third less time. If 20 are requested, the share of the 1,536 questions of LoCoMo with some
 * evidence among them is 0.855 with 20, and 0.865 with 30.
 */
const matchCounts = { fewest: 20, most: 30 }

/**
 * How far from a match messages are read: the farthest neighbour has its own neighbours. With one less, which reads a fifth fewer
 * messages, LoCoMo dev had 0.733 / 0.814 / 0.863, 0.695 instead of 0.744 / 0.821 / 0.860, 0.700.
 */
const distance = 2 * reach

/** Around how many of the best matches messages are read, and how far. */
export function planSurroundings({ requested }: Pick<SurroundingsOptions, 'requested'>): {
  matchCount: number
  distance: number
} {
  return { matchCount: Math.min(matchCounts.most, Math.max(matchCounts.fewest, 2 * requested)), distance }
}

/** The words to count in the messages around the matches: those of the question, and after them those that stand for them. */
export function listCountedWords({ idfs, related }: RankedMatches): string[] {
  return [...idfs.keys(), ...related.map(({ word }) => word)]
}

type Scoring = Pick<SurroundingsOptions, 'gapMs' | 'requested'> & { averageLength: number }

/** The matches and their neighbours, best first. `found` are those around the best of the matches. */
export function rescoreMatches(
  { matches, idfs, related }: RankedMatches,
  found: readonly ConversationMessage[],
  { gapMs, averageLength, ...options }: Scoring,
): Match[] {
  const scores = new Map(matches.map(({ id, score }) => [id, score]))
  const words = [...idfs.keys()]
  const addRelated = createRelatedSum(words, related)
  const messages = found.map((each) => ({ ...each, counts: addRelated(each.counts) }))
  const weights = [...idfs.values()]
  const places = new Map(messages.map(({ id }, place) => [id, place]))
  for (const { id } of matches.slice(0, planSurroundings(options).matchCount)) {
    const place = places.get(id)
    if (place === undefined) continue
    const session = limitToSession(messages, place, gapMs)
    session.messages.forEach((message, at) => {
      if (!message.isAnswer || Math.abs(at - session.first) > reach) return
      scores.set(message.id, scoreWithNeighbours(session.messages, at, weights, { averageLength }))
    })
  }
  return Array.from(scores, ([id, score]) => ({ id, score }))
    .filter(({ score }) => score > 0)
    .sort(compareMatches)
}

type Session = { messages: readonly ConversationMessage[]; first: number }

/** The messages around one without a pause, and where it stands among them. */
function limitToSession(found: readonly ConversationMessage[], place: number, gapMs: number): Session {
  const earlier = listSide(found, place, -1, gapMs).reverse()
  const own = found.slice(place, place + 1)
  return { messages: [...earlier, ...own, ...listSide(found, place, 1, gapMs)], first: earlier.length }
}

/** The messages on one side that count for this one, the nearest first. */
function listSide(
  found: readonly ConversationMessage[],
  place: number,
  step: -1 | 1,
  gapMs: number,
): ConversationMessage[] {
  const near: ConversationMessage[] = []
  let last = found[place]
  for (let at = place + step; last && near.length < distance; at += step) {
    const next = found[at]
    // The first of a conversation has nothing before it.
    if (!next || (step < 0 ? found[at + 1] : next)?.isFirst) break
    if (!next.isContext) continue
    if (Math.abs(next.at - last.at) > gapMs) break
    near.push(next)
    last = next
  }
  return near
}
