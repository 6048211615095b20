import type { Layer } from '../../domain/importance/importance.ts'

/** Layers of memory, and when a record is promoted: from working to episodic to semantic. */

const layerOrder: readonly Layer[] = ['working', 'episodic', 'semantic']

/** A working memory becomes episodic when it is this old or was used this often. */
export const episodicAfterMs = 30 * 60_000
export const episodicAccesses = 2
/** An episodic memory becomes semantic when it is this important and was used this often. */
export const semanticImportance = 0.7
export const semanticAccesses = 5

/** The next layer; undefined for the top layer and for layers outside this order. */
export function stepUp(layer: Layer): Layer | undefined {
  const index = indexOfLayer(layer)
  return index === undefined ? undefined : layerOrder[index + 1]
}

export function stepDown(layer: Layer): Layer | undefined {
  const index = indexOfLayer(layer)
  return index === undefined ? undefined : layerOrder[index - 1]
}

/** Whether a layer is lower than another. Layers outside the order never fade, so they rank with the top. */
export function isLower(layer: Layer, than: Layer): boolean {
  return getLayerRank(layer) < getLayerRank(than)
}

function indexOfLayer(layer: Layer): number | undefined {
  const index = layerOrder.indexOf(layer)
  return index === -1 ? undefined : index
}

function getLayerRank(layer: Layer): number {
  return indexOfLayer(layer) ?? layerOrder.length - 1
}
