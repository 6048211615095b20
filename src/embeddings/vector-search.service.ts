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
  /** On a row `r` of records: what it must be to be found, trust first. */
  conditions: readonly RawBuilder<SqlBool>[]
  /** Those to whose records, none of them forgotten, the conditions keep anyway. */
  scopes?: readonly string[] | undefined
  limit: number
}

/** So many that the ten nearest vectors are among them, 98 in a hundred even where a thousand are about as near. */
const candidates = 600

/** Of a signature with its row. */
const bytesEach = 184

const keptMs = 10_000
const mostKept = 1_000

/** Looking up a record and its signature takes as long as passing over so many signatures. */
const passedMeanwhile = 16
/** Of a few scopes: the records that are looked up rather than the nearest of all, at least and at most. */
const inside = { least: 500, most: 10_000, besideIndex: 2_000 }

type Resources = {
  db: Database
  clock: Clock
  /** Of who searches as a part of something larger. */
  tx?: Transaction
}

type Measured = { bytes: number; isIndexed: boolean; at: number }

/**
 * The nearest vectors: by their signatures some hundred candidates, of which the vectors themselves decide. An index
 * gives the first step where the extension pgvector is, otherwise one pass over all signatures. Of scopes that have
 * few records these are looked up instead. Whatever the way, the answer is that of asking every record.
 */
export function createVectorSearch({ db, clock, tx }: Resources) {
  const conn = tx ?? db
  const counts = new Map<string, { count: number; at: number }>()
  let measured: Measured | undefined

  async function find(asked: VectorSearchInput): Promise<Neighbour[]> {
    return rank(asked.vector, await findCandidates(asked), asked.model.dimensions, asked.limit)
  }

  /** The nearest by their signatures, among which the nearest are, for who compares them otherwise. */
  async function findCandidates({
    model,
    vector,
    conditions,
    scopes,
    limit,
  }: VectorSearchInput): Promise<EncodedVector[]> {
    if (!hasDirection(vector)) return []
    const signature = formatSignature(computeSignature(vector))
    const sought = { modelId: model.id, signature, conditions, limit: Math.max(candidates, limit) }
    return scopes && (await areSmall(scopes)) ? findNearestInScopes(conn, sought, scopes) : findNear(sought)
  }

  async function findNear(sought: VectorSearch): Promise<EncodedVector[]> {
    const near = await findAmongNearest(conn, sought, (await measure()).isIndexed)
    if (near.isEnough) return near.found
    return transact(db, tx ? { tx } : {}, async (tx) => {
      await prepareLargeScan(tx)
      return findNearestFiltered(tx, sought)
    })
  }

  /** Undefined for a record that has none yet. */
  async function findVector(
    { id, dimensions }: VectorSearchInput['model'],
    recordId: string,
  ): Promise<Embedding | undefined> {
    const found = await findCode(conn, id, recordId)
    return found && decode(found.code, dimensions, found.bits)
  }

  /** How many signatures a search would pass over, one by one. */
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

  /** Only the way to the answer depends on it, so that it may be of a while ago. */
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

/** At equal precision the order is that of cosine; where precisions differ, what is blurred competes as a cloud. */
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
