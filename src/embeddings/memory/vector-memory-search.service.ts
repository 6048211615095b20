import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import type { CheckedStates } from '../../db/memory/checked-records.ts'
import { learnChanges } from '../../db/memory/learnt-changes.ts'
import type { View } from '../../db/memory/seen-changes.ts'
import type { Embedding, Neighbour } from '../../domain/vectors/similarity.ts'
import { type CellSet, findNearestCells } from '../cells/cells.ts'
import type { ModelRow } from '../embedding-models.queries.ts'
import { findNearestMixed } from '../search/mixed-precision-distance.ts'
import { checkVectors } from './vector-memory.queries.ts'
import type { VectorTable } from './vector-table.ts'

export type MemoryVectorSearch = {
  model: Pick<ModelRow, 'id' | 'dimensions'>
  vector: Embedding
  /** Conditions on `records as r`, trust first. */
  conditions: Conditions
  states?: CheckedStates | undefined
  limit: number
  /** The number of vectors of the store. */
  stored: number
  /** The share of the vectors that is compared where the store is divided into cells. */
  share: number
}

export type LoadedVectors = {
  modelId: number
  table: VectorTable
  sets: readonly CellSet[]
  /** The transactions that the table includes: all that any of several servers has shown. */
  view: View
}

/** A few more than requested are checked, because some records do not meet the conditions of the question. */
const spare = 10
const maxExamined = 10_000
/** A question that meets new vectors is compared again with these among them. */
const maxRounds = 6

/**
 * Returns the nearest vectors that meet the conditions; undefined where the database must be asked. PostgreSQL checks every
 * record that is found, and sends with each check the vectors that are new.
 */
export async function findInTable(
  db: Database,
  loaded: LoadedVectors,
  search: MemoryVectorSearch,
): Promise<Neighbour[] | undefined> {
  const { vector, limit, share } = search
  const { table, sets } = loaded
  const cells = sets.flatMap((set) => findNearestCells(set, vector, share))
  const known = new Map<string, boolean>()
  let examined = limit + spare
  for (let round = 1; round <= maxRounds && !table.isClosed(); round++) {
    const near = table.findNearest(vector, cells, examined)
    const added = table.countAdded()
    if (!(await check(db, loaded, search, { near, known }))) return undefined
    // A vector that was added meanwhile, by this check or that of another question, may be nearer.
    if (table.countAdded() !== added) continue
    const found = near.filter(({ id }) => known.get(id))
    const isAll = near.length < examined
    if (found.length >= limit || (isAll && sets.length === 0))
      return order(table, vector, found.slice(0, limit))
    if (isAll || examined === maxExamined) return undefined
    examined = Math.min(maxExamined, estimateNeeded(limit, found.length / near.length, examined))
  }
  return undefined
}

type Near = { near: readonly Neighbour[]; known: Map<string, boolean> }

/** Checks the records that are not known yet. Returns whether the table can still be used. */
async function check(
  db: Database,
  loaded: LoadedVectors,
  { conditions, states }: MemoryVectorSearch,
  { near, known }: Near,
): Promise<boolean> {
  const ids = near.flatMap(({ id }) => (known.has(id) ? [] : [id]))
  if (ids.length === 0 && known.size > 0) return true
  const { modelId, table, view } = loaded
  const { snapshot } = view
  const checked = await checkVectors(db, { modelId, ids, conditions, states, snapshot })
  for (const id of ids) known.set(id, false)
  for (const id of checked.met) known.set(id, true)
  const isUsable = !table.isClosed() && learnChanges(loaded, checked)
  if (!isUsable) table.close()
  return isUsable
}

/** At least four times as many as before, by the share of the records that met the conditions. */
function estimateNeeded(limit: number, share: number, examined: number): number {
  return Math.max(4 * examined, Math.ceil((1.5 * limit) / Math.max(share, 0.001)))
}

/** Where vectors have several precisions, the rounding of each is part of its distance. */
function order(table: VectorTable, vector: Embedding, found: readonly Neighbour[]): Neighbour[] {
  if (!found.some(({ id }) => table.isRounded(id))) return [...found]
  const vectors = found.flatMap(({ id }) => table.readVector(id) ?? [])
  return findNearestMixed({ vector, step: 0 }, vectors, found.length)
}
