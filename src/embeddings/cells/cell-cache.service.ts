import type { Database } from '../../db/connection.ts'
import { findCellSets, listCellSets } from './cells.queries.ts'
import { type CellSet, decodeCentroids } from './cells.ts'

const keptMs = 10_000
const maxModels = 4

export type CellCache = ReturnType<typeof createCellCache>

/** The sets of cells of each model, kept in the process. */
export function createCellCache() {
  const kept = new Map<number, { sets: readonly CellSet[]; until: number }>()

  /** Returns sets that may be some seconds old, oldest first. */
  async function read(db: Database, modelId: number): Promise<readonly CellSet[]> {
    const known = kept.get(modelId)
    return known && performance.now() < known.until ? known.sets : refresh(db, modelId)
  }

  /** Reads the centroids of sets that are not known yet. */
  async function refresh(db: Database, modelId: number): Promise<readonly CellSet[]> {
    const known = new Map(kept.get(modelId)?.sets.map((set) => [set.id, set]))
    const ids = await listCellSets(db, modelId)
    const missing = ids.filter((id) => !known.has(id))
    for (const row of missing.length > 0 ? await findCellSets(db, missing) : []) {
      known.set(row.id, { ...row, centroids: decodeCentroids(row.centroids) })
    }
    const sets = ids.flatMap((id) => known.get(id) ?? [])
    if (kept.size >= maxModels) kept.clear()
    kept.set(modelId, { sets, until: performance.now() + keptMs })
    return sets
  }

  return { read, refresh }
}
