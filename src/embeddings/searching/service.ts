import type { RawBuilder, SqlBool } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../kernel/clock.ts'
import { decode, quantisationStep } from '../codes.ts'
import { nearestMixed } from '../frqad.ts'
import type { ModelRow } from '../models/queries.ts'
import { signatureOf, signatureText } from '../signature.ts'
import { type Embedding, hasDirection, type Neighbour, nearest } from '../similarity.ts'
import { type Coded, findAmongNearest, findCode, findNearestOfAll, measureSignatures } from './queries.ts'

export type VectorSought = {
  model: Pick<ModelRow, 'id' | 'dimensions'>
  vector: Embedding
  /** On a row `r` of records: what it must be to be found, trust first. */
  conditions: readonly RawBuilder<SqlBool>[]
  limit: number
}

/** So many signatures are near enough that the ten nearest vectors are among them: 98 in a hundred of any kind. */
const candidates = 500

/** Of a signature with its row. */
const bytesEach = 184

const keptMs = 10_000

/**
 * The nearest vectors: by their signatures some hundred candidates, of which the vectors themselves decide. An index
 * gives the first step where the extension pgvector is, otherwise one pass over all signatures.
 */
export function createVectorSearch({ db, clock }: { db: Database; clock: Clock }) {
  let measured: { bytes: number; isIndexed: boolean; at: number } | undefined

  async function find({ model, vector, conditions, limit }: VectorSought): Promise<Neighbour[]> {
    if (!hasDirection(vector)) return []
    const signature = signatureText(signatureOf(vector))
    const sought = { modelId: model.id, signature, conditions, limit: Math.max(candidates, limit) }
    const { isIndexed } = await measure()
    const near = await findAmongNearest(db, sought, isIndexed)
    const found = near.isEnough ? near.found : await findNearestOfAll(db, sought)
    return rank(vector, found, model.dimensions, limit)
  }

  /** Undefined for a record that has none yet. */
  async function findVector(
    { id, dimensions }: VectorSought['model'],
    recordId: string,
  ): Promise<Embedding | undefined> {
    const found = await findCode(db, id, recordId)
    return found && decode(found.code, dimensions, found.bits)
  }

  /** How many signatures a search would pass over, one by one. */
  async function countScanned(): Promise<number> {
    const { bytes, isIndexed } = await measure()
    return isIndexed ? 0 : Math.round(bytes / bytesEach)
  }

  async function measure() {
    const now = clock.now().getTime()
    if (measured && now - measured.at < keptMs && now >= measured.at) return measured
    measured = { ...(await measureSignatures(db)), at: now }
    return measured
  }

  return { find, findVector, countScanned }
}

/** At equal precision the order is that of cosine; where precisions differ, what is blurred competes as a cloud. */
function rank(vector: Embedding, found: readonly Coded[], dimensions: number, limit: number): Neighbour[] {
  const decoded = found.map(({ id, bits, code }) => ({
    ...{ id, bits, vector: decode(code, dimensions, bits) },
    step: quantisationStep(code, bits),
  }))
  const isMixed = new Set(decoded.map(({ bits }) => bits)).size > 1
  return isMixed ? nearestMixed({ vector, step: 0 }, decoded, limit) : nearest(vector, decoded, limit)
}
