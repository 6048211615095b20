import type { Database } from '../../db/connection.ts'
import type { Embedding } from '../../domain/vectors/similarity.ts'
import type { CellCache } from './cell-cache.service.ts'
import { createAssigner } from './cell-learning.ts'
import { type CellSet, computeFirstCell, noCell } from './cells.ts'

export type CellAssigner = ReturnType<typeof createCellAssigner>

/** Finds the cells of new vectors in the newest set. */
export function createCellAssigner({ db, cache }: { db: Database; cache: CellCache }) {
  let kept: { set: CellSet; assign: (vector: Embedding) => number } | undefined

  /** Returns the function that finds the cell of a vector of the model. */
  async function prepare(modelId: number): Promise<(vector: Embedding) => number> {
    const set = (await cache.read(db, modelId)).at(-1)
    if (!set) return () => noCell
    if (kept?.set !== set) kept = { set, assign: finish(createAssigner(set)) }
    const { assign } = kept
    return (vector) => computeFirstCell(set) + assign(vector)
  }

  return { prepare }
}

/** Takes some tenths of a second for the largest set, once. */
function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
