import type { RawBuilder, SqlBool } from 'kysely'
import type { Database } from '../db/connection.ts'
import { type Transaction, transact } from '../db/transaction.ts'
import { type Embedding, findNearest, hasDirection, type Neighbour } from '../domain/similarity.ts'
import { decode, quantisationStep } from '../domain/vector-codes.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ModelRow } from './embedding-models.queries.ts'
import { findNearestMixed } from './mixed-precision-distance.ts'
import { computeSignature, formatSignature } from './signature.ts'
import {
  countInScopes,
  type EncodedVector,
  findAmongNearest,
  findCode,
  findNearestFiltered,
  findNearestInScopes,
  measureSignatures,
  prepareLargeScan,
  type VectorSearch,
} from './vector-search.queries.ts'

export type VectorSearchInput = {
  model: Pick<ModelRow, 'id' | 'dimensions'>
  vector: Embedding
  /** Conditions on `records as r`, trust first. */
  conditions: readonly RawBuilder<SqlBool>[]
  /** The scopes to which the conditions limit the search anyway. */
  scopes?: readonly string[] | undefined
  limit: number
}

/**
 * The ten nearest vectors are among so many candidates in 98 of 100 cases, even where a thousand vectors are about
 * equally near.
 */
const candidates = 600

/** The size of a row with its signature. */
const bytesEach = 184

const keptMs = 10_000
const mostKept = 1_000

/** Looking up a record and its signature takes as long as scanning so many signatures. */
const passedMeanwhile = 16
/** Limits for looking up every record of a few scopes instead of searching the nearest of all. */
const inside = { least: 500, most: 10_000, besideIndex: 2_000 }

type Resources = {
  db: Database
  clock: Clock
  /** Set when the search is part of a larger transaction. */
  tx?: Transaction
}

type Measured = { bytes: number; isIndexed: boolean; at: number }

/**
 * Finds the nearest vectors in two steps: some hundred candidates by signature, then an exact comparison. The
 * candidates come from the pgvector index, or else from a scan of all signatures. Scopes with few records are scanned
 * by scope instead. Each way gives the same answer as a check of every record.
 */
export function createVectorSearch({ db, clock, tx }: Resources) {
  const conn = tx ?? db
  const counts = new Map<string, { count: number; at: number }>()
  let measured: Measured | undefined

  async function find(input: VectorSearchInput): Promise<Neighbour[]> {
    return rank(input.vector, await findCandidates(input), input.model.dimensions, input.limit)
  }

  /** Returns the candidates by signature, for callers with a comparison of their own. */
  async function findCandidates({
    model,
    vector,
    conditions,
    scopes,
    limit,
  }: VectorSearchInput): Promise<EncodedVector[]> {
    if (!hasDirection(vector)) return []
    const signature = formatSignature(computeSignature(vector))
    const search = { modelId: model.id, signature, conditions, limit: Math.max(candidates, limit) }
    return scopes && (await areSmall(scopes)) ? findNearestInScopes(conn, search, scopes) : findNear(search)
  }

  async function findNear(search: VectorSearch): Promise<EncodedVector[]> {
    const near = await findAmongNearest(conn, search, (await measure()).isIndexed)
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

  /** Estimates how many signatures a search would scan. */
  async function countScanned(scopes?: readonly string[]): Promise<number> {
    const store = await measure()
    return store.isIndexed || (scopes && (await areSmall(scopes))) ? 0 : signaturesIn(store)
  }

  async function areSmall(scopes: readonly string[]): Promise<boolean> {
    const store = await measure()
    const share = store.isIndexed ? inside.besideIndex : signaturesIn(store) / passedMeanwhile
    const most = Math.round(Math.min(inside.most, Math.max(inside.least, share)))
    return (await countKept(scopes, most + 1)) <= most
  }

  /** Only the search method depends on this count, so it may be a few seconds old. */
  async function countKept(scopes: readonly string[], most: number): Promise<number> {
    const key = JSON.stringify(scopes)
    const kept = counts.get(key)
    if (kept && isFresh(kept)) return kept.count
    const count = await countInScopes(conn, scopes, most)
    if (counts.size >= mostKept) counts.clear()
    counts.set(key, { count, at: clock.now().getTime() })
    return count
  }

  async function measure(): Promise<Measured> {
    if (measured && isFresh(measured)) return measured
    measured = { ...(await measureSignatures(conn)), at: clock.now().getTime() }
    return measured
  }

  function isFresh({ at }: { at: number }): boolean {
    const age = clock.now().getTime() - at
    return age >= 0 && age < keptMs
  }

  return { find, findCandidates, findVector, countScanned }
}

function signaturesIn({ bytes }: Measured): number {
  return Math.round(bytes / bytesEach)
}

/**
 * Orders by cosine when all vectors have one precision; otherwise rounded vectors are compared as Gaussians.
 */
function rank(
  vector: Embedding,
  found: readonly EncodedVector[],
  dimensions: number,
  limit: number,
): Neighbour[] {
  const decoded = found.map(({ id, bits, code }) => ({
    ...{ id, bits, vector: decode(code, dimensions, bits) },
    step: quantisationStep(code, bits),
  }))
  const isMixed = new Set(decoded.map(({ bits }) => bits)).size > 1
  return isMixed ? findNearestMixed({ vector, step: 0 }, decoded, limit) : findNearest(vector, decoded, limit)
}
