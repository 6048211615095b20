import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import { type Embedding, normalise } from '../../domain/vectors/similarity.ts'
import { findThresholds } from '../../domain/vectors/similarity-thresholds.ts'
import { decode } from '../../domain/vectors/vector-codes.ts'
import { findCodes, readId, type SignatureMatrix, unpackSignatures } from '../../embeddings/index.ts'
import type { RunContext } from '../../jobs/runs/runs.ts'
import { nilUuid } from '../../kernel/ids.ts'
import { countTrees, growTree } from './approximate-neighbours.ts'
import { type Group, groupAround, minMembers } from './cluster-group.ts'
import { type Partition, readPortion } from './clustering.queries.ts'
import { createNeighbourLists, findCandidates, type NeighbourLists } from './neighbour-lists.ts'

type Search = {
  db: Database
  context: Pick<RunContext, 'throwIfEnded'>
  model: { id: number; provider: string; dimensions: number }
  partition: Partition
  /** Records in memory at the same time, about 400 bytes each. A larger partition is processed in parts. */
  maxRecords?: number
  /** How often to check whether the run must end. */
  checkIntervalMs?: number
}

const defaultMaxRecords = 250_000
/** Seeds whose neighbours are read together, and records scanned for seeds before other work can run. */
const seedsPerTurn = 64
const scannedPerTurn = 512
const maxCandidates = 96
const maxVectorBytes = 64 * 1_048_576
const defaultCheckIntervalMs = 1_000

/** Yields the ids of each group, its seed first. The same records give the same groups. */
export async function* findGroups(search: Search): AsyncGenerator<readonly string[]> {
  const { db, model, partition, maxRecords = defaultMaxRecords } = search
  const pause = createPause(search)
  let after: string | undefined = nilUuid
  while (after !== undefined) {
    const signatures = unpackSignatures(
      await readPortion(db, partition, { modelId: model.id, after, limit: maxRecords }),
    )
    for (const group of await groupRecords(search, signatures, pause))
      yield group.map((place) => readId(signatures, place))
    after = signatures.size < maxRecords ? undefined : readId(signatures, signatures.size - 1)
  }
}

type Pause = () => Promise<void>

async function groupRecords(
  { db, model }: Search,
  signatures: SignatureMatrix,
  pause: Pause,
): Promise<Group[]> {
  if (signatures.size < minMembers) return []
  const neighbours = await findNeighbours(signatures, pause)
  const vectors = createVectors(db, model, signatures)
  const { group: minCosine } = findThresholds(model.provider)
  const taken = new Uint8Array(signatures.size)
  const groups: Group[] = []
  for (let from = 0; from < signatures.size; ) {
    const { candidatesBySeed, next } = findNextSeeds(signatures, neighbours, taken, from)
    from = next
    await pause()
    await vectors.read([...candidatesBySeed].flatMap(([seed, candidates]) => [seed, ...candidates]))
    for (const [seed, candidates] of candidatesBySeed) {
      if (taken[seed]) continue
      const free = candidates.filter((place) => !taken[place])
      const group = groupAround(seed, { candidates: free, minCosine, getVector: vectors.of })
      for (const place of group ?? []) taken[place] = 1
      if (group) groups.push(group)
    }
  }
  return groups
}

async function findNeighbours(signatures: SignatureMatrix, pause: Pause): Promise<NeighbourLists> {
  const neighbours = createNeighbourLists(signatures.size)
  for (let nth = 0; nth < countTrees(signatures.size); nth++) {
    for (const _ of growTree(signatures, neighbours, nth)) await pause()
    await pause()
  }
  return neighbours
}

/** Returns the next seeds that may have a group, each with its candidates. */
function findNextSeeds(
  signatures: SignatureMatrix,
  neighbours: NeighbourLists,
  taken: Uint8Array,
  from: number,
) {
  const candidatesBySeed = new Map<number, number[]>()
  const end = Math.min(signatures.size, from + scannedPerTurn)
  let next = from
  for (; next < end && candidatesBySeed.size < seedsPerTurn; next++) {
    if (taken[next] || !neighbours.counts[next]) continue
    const candidates = findCandidates(signatures, neighbours, next, maxCandidates).filter(
      (place) => !taken[place],
    )
    if (candidates.length >= minMembers - 1) candidatesBySeed.set(next, candidates)
  }
  return { candidatesBySeed, next }
}

/**
 * Caches decoded vectors: neighbouring seeds have the same neighbours, so each vector is read once while there is
 * room.
 */
function createVectors(
  db: Database,
  { id: modelId, dimensions }: Search['model'],
  signatures: SignatureMatrix,
) {
  const known = new Map<number, Embedding>()
  const most = maxVectorBytes / (4 * dimensions)

  async function read(places: readonly number[]): Promise<void> {
    if (known.size > most) known.clear()
    const missing = [...new Set(places)].filter((place) => !known.has(place))
    const byId = new Map(missing.map((place) => [readId(signatures, place), place]))
    const coded = byId.size === 0 ? [] : await findCodes(db, modelId, [...byId.keys()])
    for (const { id, bits, code } of coded) {
      const place = byId.get(id)
      if (place !== undefined) known.set(place, normalise(decode(code, dimensions, bits)))
    }
  }

  return { read, of: (place: number) => known.get(place) }
}

/** Lets other work of the process run, and stops if the run must end. */
function createPause({ context, checkIntervalMs = defaultCheckIntervalMs }: Search): Pause {
  let lastCheckMs = performance.now()
  return async () => {
    await yieldTurn()
    if (performance.now() - lastCheckMs < checkIntervalMs) return
    await context.throwIfEnded()
    lastCheckMs = performance.now()
  }
}
