import { compareNearness, type Neighbour } from './similarity.ts'

/** What a memory says that the store did not know: it moves base importance once, when the embedding arrives. */

export type Surprise = {
  /** 0: like all that is known; 1: like nothing. */
  score: number
  delta: number
  base_before: number
  neighbours: Neighbour[]
  duplicate_of?: string
}

export type SurpriseResult = { base_importance: number; surprise: Surprise }

export const comparedNeighbours = 5
const duplicateSimilarity = 0.92
const duplicatePenalty = 0.3
/** Even the faintest duplicate loses this much, so that saying a thing twice never makes it weigh more. */
const leastDuplicatePenalty = 0.05
/** The mean distance that is neither news nor repetition, and how sharply the score turns there. */
const turningDistance = 0.35
const steepness = 10
const largestGain = 0.6
export const leastImportance = 0.05

/** Of any number of neighbours, in any order, the nearest few count. */
export function computeSurprise(base: number, known: readonly Neighbour[]): SurpriseResult {
  const neighbours = [...known].sort(compareNearness).slice(0, comparedNeighbours)
  const score = computeScore(neighbours)
  const [nearest] = neighbours
  const isDuplicate = nearest !== undefined && nearest.similarity >= duplicateSimilarity
  const gain = largestGain * (score - 0.5)
  const delta = isDuplicate ? Math.min(gain, computeDuplicateLoss(nearest.similarity)) : gain
  return {
    base_importance: Math.min(1, Math.max(leastImportance, base + delta)),
    surprise: {
      score,
      delta,
      base_before: base,
      neighbours,
      ...(isDuplicate ? { duplicate_of: nearest.id } : {}),
    },
  }
}

/** With nothing to compare to, all is news. */
function computeScore(neighbours: readonly Neighbour[]): number {
  if (neighbours.length === 0) return 1
  const distance = neighbours.reduce((sum, { similarity }) => sum + 1 - similarity, 0) / neighbours.length
  return 1 / (1 + Math.exp(-steepness * (distance - turningDistance)))
}

function computeDuplicateLoss(similarity: number): number {
  const depth = (similarity - duplicateSimilarity) / (1 - duplicateSimilarity)
  return -duplicatePenalty * depth - leastDuplicatePenalty
}
