import { compareNearness, type Neighbour } from '../vectors/similarity.ts'
import type { SimilarityThresholds } from '../vectors/similarity-thresholds.ts'

/**
 * Surprise: how much of a memory is new to the store. It changes base importance once, when the first vector arrives.
 */

export type Surprise = {
  /** 0: repeats what is known; 1: unlike anything known. */
  score: number
  delta: number
  base_before: number
  neighbours: Neighbour[]
  duplicate_of?: string
}

export type SurpriseResult = { base_importance: number; surprise: Surprise }

export const comparedNeighbours = 5
const duplicatePenalty = 0.3
/**
 * The weakest duplicate still loses this much, so that saying a thing twice never makes it more important.
 */
const minDuplicatePenalty = 0.05
const largestGain = 0.6
export const minImportance = 0.05

/**
 * Computes the surprise from the nearest few of the neighbours, which may come in any order. `isCorrection`: the nearest one says
 * something else in nearly the same words, so it is not repeated.
 */
export function computeSurprise(
  base: number,
  known: readonly Neighbour[],
  thresholds: SimilarityThresholds,
  isCorrection = false,
): SurpriseResult {
  const neighbours = [...known].sort(compareNearness).slice(0, comparedNeighbours)
  const score = computeScore(neighbours, thresholds)
  const [nearest] = neighbours
  const isDuplicate = !isCorrection && nearest !== undefined && nearest.similarity >= thresholds.duplicate
  const gain = largestGain * (score - 0.5)
  const delta = isDuplicate ? Math.min(gain, computeDuplicateLoss(nearest.similarity, thresholds)) : gain
  return {
    base_importance: Math.min(1, Math.max(minImportance, base + delta)),
    surprise: {
      score,
      delta,
      base_before: base,
      neighbours,
      ...(isDuplicate ? { duplicate_of: nearest.id } : {}),
    },
  }
}

/** Without neighbours everything is new. */
function computeScore(
  neighbours: readonly Neighbour[],
  { steepness, turningDistance }: SimilarityThresholds,
): number {
  if (neighbours.length === 0) return 1
  const distance = neighbours.reduce((sum, { similarity }) => sum + 1 - similarity, 0) / neighbours.length
  return 1 / (1 + Math.exp(-steepness * (distance - turningDistance)))
}

function computeDuplicateLoss(similarity: number, { duplicate }: SimilarityThresholds): number {
  const depth = (similarity - duplicate) / (1 - duplicate)
  return -duplicatePenalty * depth - minDuplicatePenalty
}
