import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Transaction } from '../../db/transaction.ts'
import { comparedNeighbours } from '../../domain/importance/surprise.ts'
import { getRank } from '../../domain/trust/caller.ts'
import type { Neighbour } from '../../domain/vectors/similarity.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { CellCache } from '../cells/cell-cache.service.ts'
import { countInScopes, findCodes, readSignatures } from '../search/vector-search.queries.ts'
import { createVectorSearch } from '../search/vector-search.service.ts'
import { type DecodedVector, decodeVector } from '../vectors/decoded-vectors.ts'
import { findNearestIds, unpackSignatures } from '../vectors/signature-matrix.ts'
import { findMostSimilar } from './decoded-neighbours.ts'
import { isCompared, listComparableConditions, type PendingRecord } from './surprise-comparison.queries.ts'

type Model = { id: number; dimensions: number }
type Pass = {
  tx: Transaction
  clock: Clock
  cells?: CellCache | undefined
  model: Model
  signal: AbortSignal
  /** A larger scope is not searched, unless there is an index. */
  maxInside?: number
}

export type NewVector = Omit<PendingRecord, 'vector'> & { signature: Buffer; decoded: DecodedVector }
type NewVectors = readonly NewVector[]

/** The most signatures in memory, about 40 megabytes. Comparing one takes a tenth of a microsecond. */
const defaultMostInside = 250_000
/**
 * At most `newVectors` records in a large scope are searched one by one. Each search takes as long as reading `signaturesEach`.
 */
const singleSearch = { newVectors: 8, signaturesEach: 2_000 }
/** With 20,000 texts the five nearest are among this number of candidates in 985 of 1,000 cases. */
const candidateCount = 256
const atOnce = 25
const maxVectorBytes = 64 * 1_048_576

/**
 * Finds the nearest neighbours of each new record, among records that were compared before and new records with an
 * earlier place. Null when the scope is too large to be searched.
 */
export async function findNeighbours(
  pass: Pass,
  newVectors: NewVectors,
): Promise<Map<string, Neighbour[] | null>> {
  const neighbours = new Map<string, Neighbour[] | null>()
  const places = new Map(newVectors.map(({ id }, place) => [id, place]))
  for (const group of groupVectors(newVectors)) {
    const known = await chooseSearch(pass, group)
    for (const some of splitInPortions(group)) {
      const around = known && (await known(some))
      for (const newVector of some) {
        pass.signal.throwIfAborted()
        // Lets other work of the process run: in a large scope one record takes some hundredths of a second.
        await yieldTurn()
        const before = newVectors.slice(0, places.get(newVector.id))
        neighbours.set(newVector.id, around ? compare(newVector, around(newVector), before) : null)
      }
    }
  }
  return neighbours
}

function compare(newVector: NewVector, found: readonly DecodedVector[], before: NewVectors): Neighbour[] {
  const peers = before.filter((each) => isComparable(newVector, each)).map(({ decoded }) => decoded)
  return findMostSimilar(newVector.decoded.vector, [...found, ...peers], comparedNeighbours)
}

function isComparable(newVector: NewVector, { scope, sensitivity, is_live: isLive }: NewVector): boolean {
  return isLive && scope === newVector.scope && getRank(sensitivity) <= getRank(newVector.sensitivity)
}

/** Groups new records that are compared with the same set of records. */
function groupVectors(newVectors: NewVectors): Iterable<NewVectors> {
  return Map.groupBy(newVectors, ({ scope, sensitivity }) => `${sensitivity} ${scope}`).values()
}

function* splitInPortions(group: NewVectors): Generator<NewVectors> {
  for (let from = 0; from < group.length; from += atOnce) yield group.slice(from, from + atOnce)
}

/** For some new records, returns the candidates among which their nearest are. */
type NeighbourSearch = (some: NewVectors) => Promise<(newVector: NewVector) => readonly DecodedVector[]>

async function chooseSearch(pass: Pass, group: NewVectors): Promise<NeighbourSearch | undefined> {
  const [first] = group
  if (!first) return undefined
  const { tx, clock, cells, model, maxInside = defaultMostInside } = pass
  const search = createVectorSearch({ db: tx, clock, cells, tx })
  const inside = await countInScopes(tx, [first.scope], maxInside + 1)
  const isTooLarge = inside > maxInside
  if (isTooLarge && !(await search.hasIndex(model.id))) return undefined
  const isLittle = group.length < singleSearch.newVectors && inside > singleSearch.signaturesEach
  return isTooLarge || isLittle ? searchOneByOne(pass, search) : searchTogether(pass, first)
}

function searchOneByOne({ model }: Pass, search: ReturnType<typeof createVectorSearch>): NeighbourSearch {
  return async (some) => {
    const found = new Map<string, readonly DecodedVector[]>()
    for (const newVector of some) {
      const { id, scope, decoded } = newVector
      const query = { model, vector: decoded.vector, scopes: [scope], limit: candidateCount }
      found.set(id, await search.findCandidates({ ...query, conditions: listConditions(newVector) }))
    }
    return ({ id }) => found.get(id) ?? []
  }
}

async function searchTogether({ tx, model }: Pass, first: NewVector): Promise<NeighbourSearch> {
  const query = { modelId: model.id, conditions: listConditions(first), scope: first.scope }
  const matrix = unpackSignatures(await readSignatures(tx, query))
  const codes = createCodes(tx, model)
  return async (some) => {
    const found = new Map<string, string[]>()
    for (const { id, signature } of some) {
      found.set(id, findNearestIds(matrix, signature, candidateCount))
      await yieldTurn()
    }
    const known = await codes.read(new Set([...found.values()].flat()))
    return ({ id }) => (found.get(id) ?? []).flatMap((near) => known.get(near) ?? [])
  }
}

/** Reads vectors and keeps them while there is room: many new records share neighbours. */
function createCodes(tx: Transaction, model: Model) {
  const known = new Map<string, DecodedVector>()
  const most = maxVectorBytes / (4 * model.dimensions)

  async function read(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, DecodedVector>> {
    if (known.size > most) known.clear()
    const missing = [...ids].filter((id) => !known.has(id))
    for (const coded of missing.length > 0 ? await findCodes(tx, model.id, missing) : []) {
      known.set(coded.id, decodeVector(coded, model.dimensions))
    }
    return known
  }

  return { read }
}

function listConditions({ scope, sensitivity }: NewVector) {
  return [...listComparableConditions(scope, sensitivity), isCompared()]
}
