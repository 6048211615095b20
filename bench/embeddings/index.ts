import { connect, type Database } from '../../src/db/connection.ts'
import { dot, type Embedding } from '../../src/domain/similarity.ts'
import { createVectorSearch, ensureNearestIndex } from '../../src/embeddings/index.ts'
import { computeSignature, formatSignature } from '../../src/embeddings/signature.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { answerConditions } from '../../src/retrieval/filters.queries.ts'
import { readQuestion } from '../../src/retrieval/question.ts'
import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, drive, median, percentile } from '../load.ts'
import { atMost, type Result } from '../result.ts'
import { measureCompressed } from './compression.ts'
import { populateVectors, type Store } from './population.ts'
import { createClusteredSpace, createTextSpace, type Space } from './spaces.ts'

const questions = 200
/** A retrieval requests this many; the first ten are compared with the exact ones. */
const limit = 50
const maxMs = 60
const minRecall = 0.98

const clock: Clock = { now: () => new Date() }

type Search = ReturnType<typeof createVectorSearch>
type Bench = { database: BenchDatabase; db: Database; store: Store; space: Space; queries: Embedding[] }

/**
 * Measures vector candidates under the conditions of a retrieval, without an index and, if pgvector is installed,
 * with one.
 */
export async function benchEmbeddings({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const size = Number(process.env['BENCH_EMBEDDINGS_RECORDS'] ?? 100_000)
  const results: Result[] = []
  for (const space of [createTextSpace(), createClusteredSpace()]) {
    await withDatabase(async (database) => {
      note(`${space.name}: ${size} records`)
      const store = await populateVectors(database, space, size)
      const queries = Array.from({ length: questions }, space.ask)
      const { db, close } = connect({
        ...{ url: database.url, poolSize: 2, statementTimeoutMs: 0, lockTimeoutMs: 0 },
        applicationName: 'membrane bench',
      })
      try {
        results.push(...(await measureWays({ database, db, store, space, queries: queries }, note)))
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
  const passing = await measure(bench, exact, 'no index')
  await ensureNearestIndex(db, createLogger({ level: 'warn', clock, write: console.error }))
  const results = [passing]
  if (await isIndexed(db)) {
    note('by the index of pgvector')
    results.push(await measure(bench, exact, 'pgvector'))
  }
  note('three of four compressed')
  const search = createVectorSearch({ db, clock })
  const compressed = { ...bench, name: bench.space.name, queries: queries.slice(0, questions / 4) }
  return [...results, await measureCompressed(compressed, (vector) => find(search, store, vector))]
}

async function isIndexed(db: Database): Promise<boolean> {
  return (await createVectorSearch({ db, clock }).countScanned()) === 0
}

async function measure(bench: Bench, exact: readonly number[], way: string): Promise<Result> {
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
    work: `vector candidates, ${store.vectors.length.toLocaleString('en')} ${space.name}, ${way}, p95`,
    measured: { value: measured, unit: 'ms' },
    limit: { value: least, unit: 'ms', of: 'one sequential scan for the least distance' },
    ratio: measured / least,
    mustReach: {
      text: `${atMost(measured, maxMs, 'ms').text}, recall@10 ≥ ${minRecall}`,
      reached: measured <= maxMs && recall >= minRecall,
    },
    verified: 'the ten best of each answer are held against those of all vectors, compared one by one',
    details: {
      recall_at_10: recall.toFixed(4),
      p50_ms: median(found.latencies),
      scan_p50_ms: median(scanned.latencies),
    },
  }
}

async function find(search: Search, { model }: Store, vector: Embedding | undefined) {
  assert(vector !== undefined, 'there is a question')
  const question = readQuestion({}, { maxSensitivity: 'medium', scopes: null }, clock.now())
  const found = await search.find({ model, vector, conditions: answerConditions(question, 'whole'), limit })
  assert(found.length === limit, `${found.length} of ${limit} were found`)
  return found
}

/** The similarity of the tenth nearest of all vectors. */
function tenthBest(query: Embedding, vectors: readonly Embedding[]): number {
  const best = vectors
    .map((vector) => dot(query, vector))
    .sort((one, other) => other - one)
    .slice(0, 10)
  return (best[9] ?? -1) / Math.sqrt(dot(query, query))
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
