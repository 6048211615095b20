import type { Channel, ChannelWeights } from './intent.ts'

/**
 * Merges several rankings into one. It uses ranks, because the scores of different channels cannot be compared.
 */

/** Ids by channel, best first. A channel without results is left out. */
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

/** Large enough that one first place does not outweigh two good places. */
const rankOffset = 60

/** Returns the best first. Ties are ordered by id, so that the same question gets the same answer. */
export function fuse(
  rankings: Rankings,
  weights: ChannelWeights,
  inputsById: ReadonlyMap<string, ScoreInputs>,
): FusedNode[] {
  const nodes: FusedNode[] = []
  for (const [id, channels] of toPlacements(rankings, weights)) {
    const inputs = inputsById.get(id)
    // A record without a state was forgotten between two statements.
    if (inputs) nodes.push(scoreNode(id, channels, inputs))
  }
  return nodes.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
}

/** In a fixed order of channels, so that floating-point sums do not depend on how an object was built. */
const channelOrder: readonly Channel[] = ['vector', 'text', 'graph', 'salience']

function toPlacements(rankings: Rankings, weights: ChannelWeights): Map<string, Placement[]> {
  const placings = new Map<string, Placement[]>()
  for (const channel of channelOrder) {
    const weight = weights[channel]
    // An id that one channel lists twice counts once, at its better place.
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

function scoreNode(id: string, channels: Placement[], inputs: ScoreInputs): FusedNode {
  const fused = channels.reduce((sum, { contribution }) => sum + contribution, 0)
  const salience_factor = 0.5 + 0.5 * Math.min(1, inputs.salience)
  const importance_factor = 0.8 + 0.4 * inputs.importance
  return {
    id,
    score: fused * salience_factor * importance_factor,
    signals: { channels, fused, salience_factor, importance_factor },
  }
}
