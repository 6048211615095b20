import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import type { CheckedStates } from '../../db/memory/checked-records.ts'
import { type Transaction, transact } from '../../db/transaction.ts'
import { type Embedding, findNearest, hasDirection, type Neighbour } from '../../domain/vectors/similarity.ts'
import { decode } from '../../domain/vectors/vector-codes.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type CellCache, createCellCache } from '../cells/cell-cache.service.ts'
import type { ModelRow } from '../embedding-models.queries.ts'
import type { StoreVectors } from '../memory/vector-memory.service.ts'
import { type DecodedVector, decodeVector, type EncodedVector } from '../vectors/decoded-vectors.ts'
import { computeSignature, formatSignature } from '../vectors/signature.ts'
import { findNearestMixed } from './mixed-precision-distance.ts'
import { createNearestSearch } from './nearest-search.service.ts'
import { createStoreSizes } from './store-sizes.service.ts'
import {
  findCode,
  findCodes,
  findNearestFiltered,
  findNearestInScopes,
  prepareLargeScan,
} from './vector-search.queries.ts'

export type VectorSearchInput = {
  model: Pick<ModelRow, 'id' | 'dimensions'>
  vector: Embedding
  /** Conditions on `records as r`, trust first. */
  conditions: Conditions
  /** The scopes to which the conditions limit the search anyway. */
  scopes?: readonly string[] | undefined
  limit: number
  /** Takes the states of the records, where a search reads them anyway. */
  states?: CheckedStates | undefined
  /** How many vectors are compared exactly. */
  candidates?: number
  /** The records that can be found, if they are few: the nearest of all hardly include them, so each is compared. */
  onlyIds?: readonly string[] | undefined
}

/**
 * The ten nearest vectors are among this number of candidates in 98 of 100 cases, even if a thousand vectors are about
 * equally near.
 */
const maxCandidates = 600

/**
 * A search of n signatures reads the cells that contain about this times √n of them: 60,000 of a million. More than
 * needed of a small store, so that the recall is even.
 */
const defaultReadPerRoot = 60

type Resources = {
  db: Database
  clock: Clock
  cells?: CellCache | undefined
  /** The vectors in the memory of the process. */
  memory?: StoreVectors | undefined
  readPerRoot?: number
  /** Set when the search is part of a larger transaction. */
  tx?: Transaction
}

/**
 * Finds the nearest vectors in two steps: some hundred candidates by signature, then an exact comparison. The
 * candidates come from the pgvector index, or else from the cells nearest to the vector, or from all signatures of a
 * small store. Scopes with few records are scanned by scope instead. Each way gives the answer of a check of every
 * record, but for the few vectors that an index misses.
 */
export function createVectorSearch({
  db,
  clock,
  cells = createCellCache(),
  memory,
  readPerRoot = defaultReadPerRoot,
  tx,
}: Resources) {
  const conn = tx ?? db
  const computeShareRead = (signatures: number) => readPerRoot / Math.sqrt(Math.max(1, signatures))
  const sizes = createStoreSizes({ db: conn, clock })
  const searchNearest = createNearestSearch({ db: conn, cells, sizes, computeShareRead })

  async function find(input: VectorSearchInput): Promise<Neighbour[]> {
    return rank(input.vector, await findCandidates(input), input.limit)
  }

  /**
   * Returns the nearest vectors, with similarities that may be wrong by a thousandth: they come from memory where the store is
   * there.
   */
  async function findQuickly(input: VectorSearchInput): Promise<Neighbour[]> {
    const { scopes, vector, onlyIds } = input
    if (!memory || onlyIds || !hasDirection(vector) || (scopes && (await sizes.areSmall(scopes))))
      return find(input)
    const { signatures } = await sizes.measure()
    const search = { ...input, stored: signatures, share: computeShareRead(signatures) }
    return (await memory.find(search)) ?? find(input)
  }

  /** Returns the candidates by signature, for callers with a comparison of their own. */
  async function findCandidates(input: VectorSearchInput): Promise<DecodedVector[]> {
    if (!hasDirection(input.vector)) return []
    const { model, onlyIds } = input
    const near = onlyIds ? await findCodes(conn, model.id, onlyIds) : await findNear(input)
    return near.map((each) => decodeVector(each, model.dimensions))
  }

  async function findNear({
    model,
    vector,
    conditions,
    scopes,
    limit,
    candidates = maxCandidates,
  }: VectorSearchInput): Promise<EncodedVector[]> {
    const signature = formatSignature(computeSignature(vector))
    const search = { modelId: model.id, signature, conditions, limit: Math.max(candidates, limit) }
    if (scopes && (await sizes.areSmall(scopes))) return findNearestInScopes(conn, search, scopes)
    const near = await searchNearest(search, { vector, requested: limit })
    if (near.isEnough) return near.found
    return transact(db, tx ? { tx } : {}, async (tx) => {
      await prepareLargeScan(tx)
      return findNearestFiltered(tx, search)
    })
  }

  /** Returns the vector of a record; undefined when it has none yet. */
  async function findVector(
    { id, dimensions }: VectorSearchInput['model'],
    recordId: string,
  ): Promise<Embedding | undefined> {
    const found = await findCode(conn, id, recordId)
    return found && decode(found.code, dimensions, found.bits)
  }

  /** Whether a search reads only a part of the signatures of the model. */
  async function hasIndex(modelId: number): Promise<boolean> {
    return (await sizes.measure()).isIndexed || (await cells.read(conn, modelId)).length > 0
  }

  return { find, findQuickly, findCandidates, findVector, hasIndex }
}

/**
 * Orders by cosine when all vectors have one precision; otherwise rounded vectors are compared as Gaussians.
 */
function rank(vector: Embedding, found: readonly DecodedVector[], limit: number): Neighbour[] {
  const isMixed = new Set(found.map(({ bits }) => bits)).size > 1
  return isMixed ? findNearestMixed({ vector, step: 0 }, found, limit) : findNearest(vector, found, limit)
}
