import { setImmediate as breathe } from 'node:timers/promises'
import type { Transaction } from '../../db/transaction.ts'
import { rankOf } from '../../domain/caller.ts'
import type { Neighbour } from '../../domain/similarity.ts'
import { comparedNeighbours } from '../../domain/surprise.ts'
import type { Clock } from '../../kernel/clock.ts'
import { findNearestIds, unpackSignatures } from '../signature-matrix.ts'
import { countInScopes, findCodes, readSignatures } from '../vector-search.queries.ts'
import { createVectorSearch } from '../vector-search.service.ts'
import { type DecodedVector, decodeVector, findMostSimilar } from './decoded-neighbours.ts'
import { comparableIn, isCompared, type PendingRecord } from './surprise-comparison.queries.ts'

type Model = { id: number; dimensions: number }
type Pass = {
  tx: Transaction
  clock: Clock
  model: Model
  signal: AbortSignal
  /** A scope of more is not searched, unless there is an index. */
  mostInside?: number
}

export type NewVector = Omit<PendingRecord, 'vector'> & { signature: Buffer; decoded: DecodedVector }
type NewVectors = readonly NewVector[]

/** Signatures in memory at once, some forty megabytes; to compare one takes a tenth of a microsecond. */
const defaultMostInside = 250_000
/** A few of a large scope are searched one by one: that takes as long as reading so many signatures. */
const singleSearch = { newcomers: 8, signaturesEach: 2_000 }
/** Of 20,000 texts the five nearest are among so many, 985 times in a thousand. */
const candidateCount = 256
const atOnce = 25
const mostVectorBytes = 64 * 1_048_576

/**
 * The nearest of each newcomer: of those that were compared before, and of those that came before it with it. Null
 * where the scope is too large to be searched.
 */
export async function findNeighbours(
  pass: Pass,
  newcomers: NewVectors,
): Promise<Map<string, Neighbour[] | null>> {
  const neighbours = new Map<string, Neighbour[] | null>()
  const places = new Map(newcomers.map(({ id }, place) => [id, place]))
  for (const group of groupsOf(newcomers)) {
    const known = await chooseSearch(pass, group)
    for (const some of portionsOf(group)) {
      const around = known && (await known(some))
      for (const newcomer of some) {
        pass.signal.throwIfAborted()
        // Other work of the process comes in between: a large scope takes some hundredths of a second each.
        await breathe()
        const before = newcomers.slice(0, places.get(newcomer.id))
        neighbours.set(newcomer.id, around ? compare(newcomer, around(newcomer), before) : null)
      }
    }
  }
  return neighbours
}

function compare(newcomer: NewVector, found: readonly DecodedVector[], before: NewVectors): Neighbour[] {
  const peers = before.filter((each) => isComparable(newcomer, each)).map(({ decoded }) => decoded)
  return findMostSimilar(newcomer.decoded.vector, [...found, ...peers], comparedNeighbours)
}

function isComparable(newcomer: NewVector, { scope, sensitivity, is_live: isLive }: NewVector): boolean {
  return isLive && scope === newcomer.scope && rankOf(sensitivity) <= rankOf(newcomer.sensitivity)
}

/** Alike in what they may be compared with. */
function groupsOf(newcomers: NewVectors): Iterable<NewVectors> {
  return Map.groupBy(newcomers, ({ scope, sensitivity }) => `${sensitivity} ${scope}`).values()
}

function* portionsOf(group: NewVectors): Generator<NewVectors> {
  for (let from = 0; from < group.length; from += atOnce) yield group.slice(from, from + atOnce)
}

/** For some newcomers at once, those that may be their nearest. */
type NeighbourSearch = (some: NewVectors) => Promise<(newcomer: NewVector) => readonly DecodedVector[]>

async function chooseSearch(pass: Pass, group: NewVectors): Promise<NeighbourSearch | undefined> {
  const [first] = group
  if (!first) return undefined
  const { tx, clock, mostInside = defaultMostInside } = pass
  const search = createVectorSearch({ db: tx, clock, tx })
  const inside = await countInScopes(tx, [first.scope], mostInside + 1)
  const isTooLarge = inside > mostInside
  if (isTooLarge && (await search.countScanned()) > 0) return undefined
  const isLittle = group.length < singleSearch.newcomers && inside > singleSearch.signaturesEach
  return isTooLarge || isLittle ? searchOneByOne(pass, search) : searchTogether(pass, first)
}

function searchOneByOne({ model }: Pass, search: ReturnType<typeof createVectorSearch>): NeighbourSearch {
  return async (some) => {
    const found = new Map<string, readonly DecodedVector[]>()
    for (const newcomer of some) {
      const { id, scope, decoded } = newcomer
      const sought = { model, vector: decoded.vector, scopes: [scope], limit: candidateCount }
      const near = await search.findCandidates({ ...sought, conditions: conditionsOf(newcomer) })
      found.set(
        id,
        near.map((each) => decodeVector(each, model.dimensions)),
      )
    }
    return ({ id }) => found.get(id) ?? []
  }
}

async function searchTogether({ tx, model }: Pass, first: NewVector): Promise<NeighbourSearch> {
  const sought = { modelId: model.id, conditions: conditionsOf(first), scope: first.scope }
  const crowd = unpackSignatures(await readSignatures(tx, sought))
  const codes = createCodes(tx, model)
  return async (some) => {
    const found = new Map<string, string[]>()
    for (const { id, signature } of some) {
      found.set(id, findNearestIds(crowd, signature, candidateCount))
      await breathe()
    }
    const known = await codes.read(new Set([...found.values()].flat()))
    return ({ id }) => (found.get(id) ?? []).flatMap((near) => known.get(near) ?? [])
  }
}

/** Many have neighbours in common, whose vectors are read once, as long as there is room. */
function createCodes(tx: Transaction, model: Model) {
  const known = new Map<string, DecodedVector>()
  const most = mostVectorBytes / (4 * model.dimensions)

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

function conditionsOf({ scope, sensitivity }: NewVector) {
  return [...comparableIn(scope, sensitivity), isCompared()]
}
