import type { Channel, ChannelWeights } from './intent.ts'

/** One order out of several: channels are joined by rank, for their scores have no common measure. */

/** Ids by channel, best first; a channel that had nothing to say is left out. */
export type Rankings = Partial<Record<Channel, readonly string[]>>

export type ScoreInputs = { salience: number; importance: number }

export type Placement = { channel: Channel; rank: number; weight: number; contribution: number }

export type Signals = {
  channels: Placement[]
  fused: number
  salience_factor: number
  importance_factor: number
}

export type FusedNode = { id: string; score: number; signals: Signals }

/** Large enough that one first place does not outweigh two good ones. */
const rankOffset = 60

/** Best first; between equal scores the lower id, so that the same question has the same answer. */
export function fuse(
  rankings: Rankings,
  weights: ChannelWeights,
  standings: ReadonlyMap<string, ScoreInputs>,
): FusedNode[] {
  const nodes: FusedNode[] = []
  for (const [id, channels] of toPlacements(rankings, weights)) {
    const standing = standings.get(id)
    // Forgotten between two statements: what has no standing any more is no answer.
    if (standing) nodes.push(scoreNode(id, channels, standing))
  }
  return nodes.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
}

/** In a fixed order of channels: sums of the same places must not differ by how an object was built. */
const channelOrder: readonly Channel[] = ['vector', 'text', 'graph', 'salience']

function toPlacements(rankings: Rankings, weights: ChannelWeights): Map<string, Placement[]> {
  const placings = new Map<string, Placement[]>()
  for (const channel of channelOrder) {
    const weight = weights[channel]
    // An id named twice by one channel counts once, at its better place.
    for (const [index, id] of [...new Set(rankings[channel] ?? [])].entries()) {
      const rank = index + 1
      const placing = { channel, rank, weight, contribution: weight / (rankOffset + rank) }
      const others = placings.get(id)
      if (others) others.push(placing)
      else placings.set(id, [placing])
    }
  }
  return placings
}

function scoreNode(id: string, channels: Placement[], standing: ScoreInputs): FusedNode {
  const fused = channels.reduce((sum, { contribution }) => sum + contribution, 0)
  const salience_factor = 0.5 + 0.5 * Math.min(1, standing.salience)
  const importance_factor = 0.8 + 0.4 * standing.importance
  return {
    id,
    score: fused * salience_factor * importance_factor,
    signals: { channels, fused, salience_factor, importance_factor },
  }
}
