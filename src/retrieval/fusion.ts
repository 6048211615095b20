import { compareMatches, type Match } from './match.ts'

/** One order out of several channels: relevance decides, salience and importance only among nearly equal matches. */

export type Channel = 'vector' | 'text' | 'graph' | 'salience'
export type ContentChannel = Exclude<Channel, 'salience'>

/** Matches by channel, best first; a channel that had nothing to say is left out. */
export type ChannelMatches = Partial<Record<ContentChannel, readonly Match[]>>

export type ScoreInputs = { salience: number; importance: number; created_at: Date }

export type Placement = { channel: Channel; rank: number; weight: number; contribution: number }

export type Signals = {
  channels: Placement[]
  fused: number
  salience_factor: number
  importance_factor: number
  recency_factor: number
}

export type FusedNode = { id: string; score: number; signals: Signals }

/** docs/decisions/0014 has the figures behind the weights. */
const channelWeights: Record<ContentChannel, number> = { text: 1, vector: 0.5, graph: 0.3 }

/** How far each prior can move a score, both ways. Together they never lift a record over one that is 1.13 times as relevant. */
const priorSpan = { salience: 0.02, importance: 0.02, recency: 0.02 }

/** Returns the candidates of all channels, best first. */
export function fuse(matches: ChannelMatches, inputs: ReadonlyMap<string, ScoreInputs>): FusedNode[] {
  const ages = sortTimes(inputs)
  const nodes: FusedNode[] = []
  for (const [id, channels] of placeMatches(matches)) {
    const input = inputs.get(id)
    // A record that was forgotten between two statements has no inputs.
    if (input) nodes.push(scoreNode(id, channels, input, ages))
  }
  return nodes.sort(compareMatches)
}

/** In a fixed order of channels: a sum of floats depends on the order of its terms. */
const channelOrder: readonly ContentChannel[] = ['vector', 'text', 'graph']

function placeMatches(matches: ChannelMatches): Map<string, Placement[]> {
  const placements = new Map<string, Placement[]>()
  for (const channel of channelOrder) {
    const found = matches[channel] ?? []
    const best = found[0]?.score ?? 0
    const worst = channel === 'vector' ? (found.at(-1)?.score ?? 0) : 0
    for (const [index, { id, score }] of found.entries()) {
      const weight = channelWeights[channel]
      // Words measure from nothing, cosines from the least of those found: unrelated texts have one above zero.
      const share = best > worst ? (score - worst) / (best - worst) : 1
      const placement = { channel, rank: index + 1, weight, contribution: weight * share }
      const others = placements.get(id)
      if (others) others.push(placement)
      else placements.set(id, [placement])
    }
  }
  return placements
}

function scoreNode(
  id: string,
  channels: Placement[],
  input: ScoreInputs,
  times: readonly number[],
): FusedNode {
  const fused = channels.reduce((sum, { contribution }) => sum + contribution, 0)
  const salience_factor = factorOf(Math.min(1, input.salience), priorSpan.salience)
  const importance_factor = factorOf(input.importance, priorSpan.importance)
  const recency_factor = factorOf(rankOfTime(times, input.created_at.getTime()), priorSpan.recency)
  return {
    id,
    score: fused * salience_factor * importance_factor * recency_factor,
    signals: { channels, fused, salience_factor, importance_factor, recency_factor },
  }
}

/** From 1 - span for 0 to 1 + span for 1. */
function factorOf(share: number, span: number): number {
  return 1 + span * (2 * share - 1)
}

function sortTimes(inputs: ReadonlyMap<string, ScoreInputs>): number[] {
  return [...new Set(Array.from(inputs.values(), (input) => input.created_at.getTime()))].sort(
    (a, b) => a - b,
  )
}

/** The newest of the candidates is 1, the oldest 0: only the order of two statements matters, not their ages. */
function rankOfTime(times: readonly number[], time: number): number {
  return times.length < 2 ? 1 : times.indexOf(time) / (times.length - 1)
}
