import { compareMatches, type Match } from '../channels/match.ts'
import type { Signals } from '../retrieval.schemas.ts'
import { putNewerFirst } from './newer-statements.ts'
import { createFactors, type QuestionTraits, type ScoreInputs } from './score-factors.ts'

/** One order out of several channels: relevance decides, salience and importance only among nearly equal matches. */

export type Channel = Signals['channels'][number]['channel']
export type ContentChannel = Exclude<Channel, 'salience'>

/** Matches by channel, best first; undefined for a channel that was not searched. */
export type ChannelMatches = Partial<Record<ContentChannel, readonly Match[] | undefined>>

/** The ids of all matches, each once. */
export function listIds(matches: ChannelMatches): string[] {
  return [...new Set(Object.values(matches).flatMap((found = []) => found.map(({ id }) => id)))]
}

type Placement = Signals['channels'][number]

export type FusedNode = { id: string; score: number; signals: Signals }

/** docs/decisions/0014 has the figures behind these weights. */
const channelWeights: Record<ContentChannel, number> = { text: 1, vector: 0.2, graph: 0.3, time: 0.4 }

/** The weight of the channel `time` if the question names nothing but a time: then the records of that time are the answer. */
const periodAloneWeight = 1

/** Returns the candidates of all channels, best first. */
export function fuse(
  matches: ChannelMatches,
  inputs: ReadonlyMap<string, ScoreInputs>,
  question: QuestionTraits = {},
): FusedNode[] {
  const computeFactors = createFactors(inputs, question)
  const weights = question.isPeriodAll ? { ...channelWeights, time: periodAloneWeight } : channelWeights
  const nodes: FusedNode[] = []
  for (const [id, channels] of placeMatches(matches, weights)) {
    const input = inputs.get(id)
    // A record that was forgotten between two statements has no inputs.
    if (!input) continue
    const fused = channels.reduce((sum, { contribution }) => sum + contribution, 0)
    const factors = computeFactors(input)
    const score = Object.values(factors).reduce((product, factor) => product * factor, fused)
    nodes.push({ id, score, signals: { channels, fused, ...factors } })
  }
  return putNewerFirst(nodes.sort(compareMatches), inputs, question)
}

/** In a fixed order of channels: a sum of floats depends on the order of its terms. */
const channelOrder: readonly ContentChannel[] = ['vector', 'text', 'graph', 'time']

function placeMatches(
  matches: ChannelMatches,
  weights: Readonly<Record<ContentChannel, number>>,
): Map<string, Placement[]> {
  const placements = new Map<string, Placement[]>()
  for (const channel of channelOrder) {
    const found = matches[channel] ?? []
    const computeShare = createShareFunction(channel, found)
    const weight = weights[channel]
    for (const [index, { id, score }] of found.entries()) {
      const others = placements.get(id) ?? []
      placements.set(id, others)
      // A name counts once: that a record is linked with it says no more than that the record has its words.
      const counted =
        channel === 'graph' ? (others.find((each) => each.channel === 'text')?.contribution ?? 0) : 0
      const contribution = Math.max(0, weight * computeShare(score) - counted)
      others.push({ channel, rank: index + 1, weight, contribution })
    }
  }
  return placements
}

/** Scores by words are measured from 0, cosines from the lowest that was found: unrelated texts have one above 0. */
function createShareFunction(channel: Channel, found: readonly Match[]): (score: number) => number {
  const best = found[0]?.score ?? 0
  const worst = channel === 'vector' ? (found.at(-1)?.score ?? 0) : 0
  return (score) => (best > worst ? (score - worst) / (best - worst) : 1)
}
