import type { Layer } from './importance.ts'

/** Layers of memory, and when a record is promoted: from working to episodic to semantic. */

const ladder: readonly Layer[] = ['working', 'episodic', 'semantic']

/** A working memory becomes episodic when it is this old or was used this often. */
export const episodicAfterMs = 30 * 60_000
export const episodicAccesses = 2
/** An episodic memory becomes semantic when it is this important and was used this often. */
export const semanticImportance = 0.7
export const semanticAccesses = 5

/** The next layer; undefined for the top layer and for layers outside this order. */
export function stepUp(layer: Layer): Layer | undefined {
  const rung = rungOf(layer)
  return rung === undefined ? undefined : ladder[rung + 1]
}

export function stepDown(layer: Layer): Layer | undefined {
  const rung = rungOf(layer)
  return rung === undefined ? undefined : ladder[rung - 1]
}

/** Whether a layer is lower than another. Layers outside the order never fade, so they rank with the top. */
export function isLower(layer: Layer, than: Layer): boolean {
  return heightOf(layer) < heightOf(than)
}

export type PromotionInput = {
  layer: Layer
  /** Time since the creation, or since the last demotion: whoever demoted the record knew its past. */
  held_ms: number
  /** The sum of the access weights since the same moment. */
  accesses: number
  importance: number
}

/** The next layer, when the record has reached its limits; otherwise undefined. */
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
