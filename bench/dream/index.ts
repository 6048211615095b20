import { findGroups } from '../../src/dream/clustering/cluster-search.service.ts'
import { listPartitions } from '../../src/dream/clustering/clustering.queries.ts'
import type { BenchContext } from '../bench-context.ts'
import { type BenchDatabase, connectBench } from '../database.ts'
import { populateVectors } from '../embeddings/population.ts'
import { assert } from '../load.ts'
import { atMost, type Result } from '../result.ts'
import { createPlantedSpace, groupSize, isPlanted, placeOf } from './planting.ts'

/** For ten times the records: a quadratic search would take a hundred times as long. */
const maxTimes = 40
const maxSeconds = 2

type Measured = { size: number; seconds: number; whole: number; strangers: number; planted: number }

/** Measures finding the groups of one scope, from the database to their ids, without a model. */
export async function benchDream({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const sizes = (process.env['BENCH_DREAM_RECORDS'] ?? '10000,100000').split(',').map(Number)
  const measured: Measured[] = []
  for (const size of sizes) {
    await withDatabase(async (database) => {
      note(`${size.toLocaleString('en')} records of one scope, every third one of a group of ${groupSize}`)
      const space = createPlantedSpace(size)
      await populateVectors(database, space, size)
      await database.pool.query(
        `update records set scope = 'bench', type = 'semantic', memory_kind = 'fact', sensitivity = 'low',
           status = 'active', source_type = 'ai', pinned = false`,
      )
      await database.pool.query('vacuum (analyze) records')
      measured.push(await measure(database, size, space.dimensions))
    })
  }
  return measured.map((each, nth) => describe(each, measured[nth - 1]))
}

async function measure(database: BenchDatabase, size: number, dimensions: number): Promise<Measured> {
  const { db, close } = connectBench(database.url, 2)
  const { rows } = await database.pool.query<{ id: number }>('select id from embedding_models where serves')
  const model = { id: rows[0]?.id ?? 0, provider: 'hash', dimensions }
  const groups: (readonly string[])[] = []
  try {
    const began = performance.now()
    for (const partition of await listPartitions(db, null)) {
      const found = findGroups({ db, context: { throwIfEnded: async () => {} }, model, partition })
      for await (const group of found) groups.push(group)
    }
    const seconds = (performance.now() - began) / 1_000
    return { size, seconds, ...hold(groups, size) }
  } finally {
    await close()
  }
}

/** Compares with the planted groups: how many are whole, and how many found records belong to no or another group. */
function hold(groups: readonly (readonly string[])[], size: number) {
  const planted = Array.from({ length: size }, (_, place) => place).filter((place) => isPlanted(place, size))
  let whole = 0
  let strangers = 0
  for (const group of groups) {
    const places = group.map(placeOf)
    const [seed = 0] = places
    const own = places.filter(
      (place) => isPlanted(place, size) && Math.floor(place / groupSize) === Math.floor(seed / groupSize),
    )
    if (own.length === groupSize) whole++
    strangers += places.length - own.length
  }
  const counted = { whole, strangers, planted: planted.length / groupSize }
  assert(strangers === 0, `${strangers} records are in a group that they do not belong to`)
  assert(whole >= 0.95 * counted.planted, `${whole} of ${counted.planted} groups were found whole`)
  return counted
}

function describe({ size, seconds, whole, planted }: Measured, before: Measured | undefined): Result {
  return {
    work: `groups among ${size.toLocaleString('en')} records of one scope`,
    measured: { value: seconds, unit: 's' },
    ...(size === 10_000 ? { mustReach: atMost(seconds, maxSeconds, 's') } : {}),
    ...(size === 100_000 && before?.size === 10_000
      ? { mustReach: atMost(seconds / before.seconds, maxTimes, '× the time of a tenth') }
      : {}),
    verified:
      'no record is in a group that was not planted, and at least 95 percent of the planted groups are complete',
    details: {
      planted,
      found_whole: whole,
      ...(before ? { times_the_one_before: (seconds / before.seconds).toFixed(1) } : {}),
    },
  }
}
