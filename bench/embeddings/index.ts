import type { Database } from '../../src/db/connection.ts'
import { computeDot, type Embedding } from '../../src/domain/vectors/similarity.ts'
import { createCellCache } from '../../src/embeddings/cells/cell-cache.service.ts'
import { createCellUpkeep } from '../../src/embeddings/cells/cell-upkeep.service.ts'
import { createVectorSearch, ensureNearestIndex } from '../../src/embeddings/index.ts'
import { measureSignatures } from '../../src/embeddings/search/vector-search.queries.ts'
import { computeSignature, formatSignature } from '../../src/embeddings/vectors/signature.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { listAnswerConditions } from '../../src/retrieval/filters.queries.ts'
import { readQuestion } from '../../src/retrieval/question/question.ts'
import type { BenchContext } from '../bench-context.ts'
import { type BenchDatabase, connectBench } from '../database.ts'
import { assert, drive, median, percentile } from '../load.ts'
import { atMost, type Result } from '../result.ts'
import { measureCompressed } from './compression.ts'
import { populateVectors, type Store } from './population.ts'
import { createClusteredSpace, createNaturalSpace, createTextSpace, type Space } from './spaces.ts'

const questions = 200
/** A retrieval requests this many; the first ten are compared with the exact ones. */
const limit = 50
const maxMs = 60
const minRecall = 0.98
const maxMsByCells = 30
/** One look learns the cells, the other assigns the vectors to them. */
const looks = 2

const clock: Clock = { now: () => new Date() }
const log = createLogger({ level: 'warn', clock, write: console.error })

type Search = ReturnType<typeof createVectorSearch>
type Bench = { database: BenchDatabase; db: Database; store: Store; space: Space; queries: Embedding[] }

/**
 * Measures vector candidates under the conditions of a retrieval: in one pass over all signatures, by cells, and, if
 * pgvector is installed, by its index.
 */
export async function benchEmbeddings({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const size = Number(process.env['BENCH_EMBEDDINGS_RECORDS'] ?? 100_000)
  const results: Result[] = []
  for (const space of [createTextSpace(), createClusteredSpace(), await createNaturalSpace()]) {
    await withDatabase(async (database) => {
      note(`${space.name}: ${size} records`)
      const store = await populateVectors(database, space, size)
      const queries = Array.from({ length: questions }, space.ask)
      const { db, close } = connectBench(database.url, 2)
      try {
        results.push(...(await measureWays({ database, db, store, space, queries }, note)))
      } finally {
        await close()
      }
    })
  }
  return results
}

async function measureWays(bench: Bench, note: BenchContext['note']): Promise<Result[]> {
  const { db, store, queries } = bench
  const exact = queries.map((vector) => tenthBest(vector, store.vectors))
  note('one pass over all signatures')
  const results = [await measure(bench, exact, { way: 'no index', maxMs, minRecall })]
  note('by cells')
  results.push(await measureCells(bench, exact))
  await ensureNearestIndex(db, log)
  if (await isIndexed(bench)) {
    note('by the index of pgvector')
    results.push(await measure(bench, exact, { way: 'pgvector', maxMs, minRecall }))
  }
  note('three of four compressed')
  const search = createVectorSearch({ db, clock })
  const compressed = { ...bench, name: bench.space.name, queries: queries.slice(0, questions / 4) }
  return [...results, await measureCompressed(compressed, (vector) => find(search, store, vector))]
}

/** A store that is too small for cells is searched in one pass again. */
async function measureCells(bench: Bench, exact: readonly number[]): Promise<Result> {
  const { db, database, space } = bench
  const upkeep = createCellUpkeep({ db, log, cache: createCellCache() })
  const started = performance.now()
  for (let look = 0; look < looks; look++) await upkeep.tidy(new AbortController().signal)
  const seconds = (performance.now() - started) / 1_000
  await database.pool.query('vacuum (analyze) signatures')
  const { minRecallByCells } = space
  const goal = minRecallByCells === undefined ? {} : { maxMs: maxMsByCells, minRecall: minRecallByCells }
  const result = await measure(bench, exact, { way: 'cells', ...goal })
  return { ...result, details: { ...result.details, seconds_to_divide: Math.round(seconds) } }
}

async function isIndexed({ db }: Bench): Promise<boolean> {
  return (await measureSignatures(db)).isIndexed
}

type Goal = { way: string; maxMs?: number; minRecall?: number }

async function measure(bench: Bench, exact: readonly number[], goal: Goal): Promise<Result> {
  const { database, db, store, space, queries } = bench
  const search = createVectorSearch({ db, clock })
  const scan = (index: number) => scanOnce(database, queries[index] ?? new Float32Array())
  await drive(questions / 4, 1, async (index) => void (await find(search, store, queries[index])))
  await drive(questions / 4, 1, scan)
  const shares: number[] = []
  const found = await drive(questions, 1, async (index) => {
    const near = await find(search, store, queries[index])
    shares.push(
      recallOf(
        near.map(({ similarity }) => similarity),
        exact[index] ?? 1,
      ),
    )
  })
  const scanned = await drive(questions, 1, scan)
  const measured = percentile(found.latencies, 0.95)
  const least = percentile(scanned.latencies, 0.95)
  const recall = shares.reduce((sum, share) => sum + share, 0) / shares.length
  return {
    work: `vector candidates, ${store.vectors.length.toLocaleString('en')} ${space.name}, ${goal.way}, p95`,
    measured: { value: measured, unit: 'ms' },
    limit: { value: least, unit: 'ms', of: 'one sequential scan for the least distance' },
    ratio: measured / least,
    ...judge(goal, { measured, recall }),
    verified: 'the ten best of each answer are compared with the ten best of all vectors, found one by one',
    details: {
      recall_at_10: recall.toFixed(4),
      p50_ms: median(found.latencies),
      scan_p50_ms: median(scanned.latencies),
    },
  }
}

function judge({ maxMs, minRecall }: Goal, { measured, recall }: { measured: number; recall: number }) {
  if (maxMs === undefined || minRecall === undefined) return {}
  const text = `${atMost(measured, maxMs, 'ms').text}, recall@10 ≥ ${minRecall}`
  return { mustReach: { text, reached: measured <= maxMs && recall >= minRecall } }
}

async function find(search: Search, { model }: Store, vector: Embedding | undefined) {
  assert(vector !== undefined, 'there is a question')
  const question = readQuestion({}, { maxSensitivity: 'medium', scopes: null }, clock.now())
  const found = await search.find({
    model,
    vector,
    conditions: listAnswerConditions(question, 'whole'),
    limit,
  })
  assert(found.length === limit, `${found.length} of ${limit} were found`)
  return found
}

/** The similarity of the tenth nearest of all vectors. */
function tenthBest(query: Embedding, vectors: readonly Embedding[]): number {
  const best = vectors
    .map((vector) => computeDot(query, vector))
    .sort((one, other) => other - one)
    .slice(0, 10)
  return (best[9] ?? -1) / Math.sqrt(computeDot(query, query))
}

/** Vectors equal to the tenth count too; the tolerance is the rounding of float32. */
function recallOf(similarities: readonly number[], tenth: number): number {
  return similarities.slice(0, 10).filter((similarity) => similarity >= tenth - 1e-6).length / 10
}

/** The least work of any search without an index. */
async function scanOnce({ pool }: BenchDatabase, vector: Embedding): Promise<void> {
  const { rows } = await pool.query<{ least: number }>({
    name: 'scan-signatures',
    text: 'select min(bit_count(bits # $1::bit(1024)))::int as least from signatures',
    values: [formatSignature(computeSignature(vector))],
  })
  assert((rows[0]?.least ?? 1024) < 512, 'something is nearer than chance')
}
