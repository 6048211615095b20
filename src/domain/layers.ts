import type { Layer } from './importance.ts'

/** Where a memory is kept, and what carries it up: from working through episodic to semantic. */

const ladder: readonly Layer[] = ['working', 'episodic', 'semantic']

/** What working memory holds for so long, or was asked for so often, was no passing thought. */
export const episodicAfterMs = 30 * 60_000
export const episodicAccesses = 2
/** What is both important and often used is known rather than remembered. */
export const semanticImportance = 0.7
export const semanticAccesses = 5

/** One step up; none from the top, nor from the layers beside the ladder. */
export function stepUp(layer: Layer): Layer | undefined {
  const rung = rungOf(layer)
  return rung === undefined ? undefined : ladder[rung + 1]
}

export function stepDown(layer: Layer): Layer | undefined {
  const rung = rungOf(layer)
  return rung === undefined ? undefined : ladder[rung - 1]
}

/** Beside the ladder nothing fades, as at its top: to leave either for a rung below is to come down. */
export function isLower(layer: Layer, than: Layer): boolean {
  return heightOf(layer) < heightOf(than)
}

export type PromotionInput = {
  layer: Layer
  /** Since creation, or since somebody demoted it: its past was known to who did. */
  held_ms: number
  /** Since the same; being shown counts as the part of a use that it is. */
  accesses: number
  importance: number
}

/** The next layer, where it has come so far by itself. */
export function duePromotion({ layer, held_ms, accesses, importance }: PromotionInput): Layer | undefined {
  const isDue =
    layer === 'working'
      ? held_ms >= episodicAfterMs || accesses >= episodicAccesses
      : importance >= semanticImportance && accesses >= semanticAccesses
  return isDue ? stepUp(layer) : undefined
}

function rungOf(layer: Layer): number | undefined {
  const rung = ladder.indexOf(layer)
  return rung === -1 ? undefined : rung
}

function heightOf(layer: Layer): number {
  return rungOf(layer) ?? ladder.length - 1
}
