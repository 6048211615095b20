import { setImmediate as breathe } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import { type Embedding, normalise } from '../../domain/similarity.ts'
import { decode } from '../../domain/vector-codes.ts'
import { findCodes, readId, type SignatureMatrix, unpackSignatures } from '../../embeddings/index.ts'
import type { RunContext } from '../../jobs/runs.ts'
import { startPosition } from '../../jobs/table-walk.ts'
import { growTree, treesFor } from './approximate-neighbours.ts'
import { type Group, gatherAround, leastMembers } from './cluster-group.ts'
import { type Partition, readPortion } from './clustering.queries.ts'
import { contendersOf, createNearby, type Nearby } from './nearest-list.ts'

type Search = {
  db: Database
  context: Pick<RunContext, 'throwIfEnded'>
  model: { id: number; dimensions: number }
  partition: Partition
  /** Records in memory at once, some four hundred bytes each; of a larger partition it is gone through in parts. */
  mostInside?: number
  /** How often it is asked whether the run is to end. */
  lookedAfterMs?: number
}

const usualInside = 250_000
/** Seeds whose surroundings are read together, and those among which they are looked for without a pause. */
const seedsAtOnce = 64
const lookedAtOnce = 512
const mostContenders = 96
const mostVectorBytes = 64 * 1_048_576
const usuallyLookedAfterMs = 1_000

/** The ids of each group, its seed first. The same records make the same groups. */
export async function* findGroups(search: Search): AsyncGenerator<readonly string[]> {
  const { db, model, partition, mostInside = usualInside } = search
  const pause = createPause(search)
  let after: string | undefined = startPosition.id
  while (after !== undefined) {
    const crowd = unpackSignatures(
      await readPortion(db, partition, { modelId: model.id, after, limit: mostInside }),
    )
    for (const group of await groupCrowd(search, crowd, pause))
      yield group.map((place) => readId(crowd, place))
    after = crowd.size < mostInside ? undefined : readId(crowd, crowd.size - 1)
  }
}

type Pause = () => Promise<void>

async function groupCrowd({ db, model }: Search, crowd: SignatureMatrix, pause: Pause): Promise<Group[]> {
  if (crowd.size < leastMembers) return []
  const nearby = await findNearby(crowd, pause)
  const vectors = createVectors(db, model, crowd)
  const taken = new Uint8Array(crowd.size)
  const groups: Group[] = []
  for (let from = 0; from < crowd.size; ) {
    const { around, next } = nextSeeds(crowd, nearby, taken, from)
    from = next
    await pause()
    await vectors.read([...around].flatMap(([seed, contenders]) => [seed, ...contenders]))
    for (const [seed, contenders] of around) {
      if (taken[seed]) continue
      const free = contenders.filter((place) => !taken[place])
      const group = gatherAround(seed, { contenders: free, vectorOf: vectors.of })
      for (const place of group ?? []) taken[place] = 1
      if (group) groups.push(group)
    }
  }
  return groups
}

async function findNearby(crowd: SignatureMatrix, pause: Pause): Promise<Nearby> {
  const nearby = createNearby(crowd.size)
  for (let nth = 0; nth < treesFor(crowd.size); nth++) {
    for (const _ of growTree(crowd, nearby, nth)) await pause()
    await pause()
  }
  return nearby
}

/** The next that may have a group around them, with those who may belong to it. */
function nextSeeds(crowd: SignatureMatrix, nearby: Nearby, taken: Uint8Array, from: number) {
  const around = new Map<number, number[]>()
  const end = Math.min(crowd.size, from + lookedAtOnce)
  let next = from
  for (; next < end && around.size < seedsAtOnce; next++) {
    if (taken[next] || !nearby.counts[next]) continue
    const contenders = contendersOf(crowd, nearby, next, mostContenders).filter((place) => !taken[place])
    if (contenders.length >= leastMembers - 1) around.set(next, contenders)
  }
  return { around, next }
}

/** Those who are near one seed are near the next: each is read once, as long as there is room. */
function createVectors(db: Database, { id: modelId, dimensions }: Search['model'], crowd: SignatureMatrix) {
  const known = new Map<number, Embedding>()
  const most = mostVectorBytes / (4 * dimensions)

  async function read(places: readonly number[]): Promise<void> {
    if (known.size > most) known.clear()
    const missing = [...new Set(places)].filter((place) => !known.has(place))
    const byId = new Map(missing.map((place) => [readId(crowd, place), place]))
    const coded = byId.size === 0 ? [] : await findCodes(db, modelId, [...byId.keys()])
    for (const { id, bits, code } of coded) {
      const place = byId.get(id)
      if (place !== undefined) known.set(place, normalise(decode(code, dimensions, bits)))
    }
  }

  return { read, of: (place: number) => known.get(place) }
}

/** Other work of the process comes in between, and the run may end. */
function createPause({ context, lookedAfterMs = usuallyLookedAfterMs }: Search): Pause {
  let looked = performance.now()
  return async () => {
    await breathe()
    if (performance.now() - looked < lookedAfterMs) return
    await context.throwIfEnded()
    looked = performance.now()
  }
}
