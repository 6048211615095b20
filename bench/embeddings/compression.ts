import type { Database } from '../../src/db/connection.ts'
import { transact } from '../../src/db/transaction.ts'
import { computeDot, type Embedding } from '../../src/domain/vectors/similarity.ts'
import { createCompression } from '../../src/embeddings/index.ts'
import type { BatchResult, RunContext } from '../../src/jobs/runs/runs.ts'
import type { BenchDatabase } from '../database.ts'
import { assert } from '../load.ts'
import type { Result } from '../result.ts'
import type { Store } from './population.ts'

/** Ages in days, chosen so that a quarter of the records gets each precision. */
const ages = [1, 20, 40, 90]

type Bench = {
  database: BenchDatabase
  db: Database
  store: Store
  name: string
  queries: readonly Embedding[]
}
type Find = (vector: Embedding) => Promise<readonly { id: string }[]>

/** Runs the job over all vectors, and measures how many of the ten nearest are still found, by the full vectors. */
export async function measureCompressed(
  { database, db, store, name, queries }: Bench,
  find: Find,
): Promise<Result> {
  await age(database)
  const { seconds, counts } = await compress(db)
  const left = store.vectors.length / ages.length
  for (const bits of [8, 4, 2]) {
    assert(
      Math.abs((counts[`to_${bits}_bits`] ?? 0) - left) < 2,
      `${counts[`to_${bits}_bits`]} to ${bits} bits`,
    )
  }
  const value = store.vectors.length / seconds
  return {
    work: `compression of ${store.vectors.length.toLocaleString('en')} ${name} to four precisions`,
    measured: { value, unit: 'vectors/s' },
    verified: 'a quarter of the vectors got each precision; the ten best are judged by the full vectors',
    details: {
      recall_at_10_mixed: (await recallOf(store.vectors, queries, find)).toFixed(4),
      megabytes_saved: Math.round((counts['bytes_saved'] ?? 0) / 1_000_000),
    },
  }
}

async function age({ pool }: BenchDatabase): Promise<void> {
  await pool.query(
    `with numbered as (select id, (row_number() over (order by id)) % ${ages.length} as lot from records)
     update records as r set layer = 'episodic', source_type = 'human',
       created_at = now() - (array[${ages.join()}])[n.lot + 1] * interval '1 day', last_accessed_at = null, access_count = 0
     from numbered as n where n.id = r.id`,
  )
  await pool.query('vacuum (analyze) records')
}

/** Runs the job as a worker does, but without a lease. */
async function compress(db: Database) {
  const counts: Record<string, number> = {}
  const context: RunContext = {
    db,
    run: { id: '', dryRun: false, scope: null, options: {}, startedAt: new Date() },
    inBatch: async (work) => {
      const batch: BatchResult = await transact(db, {}, work)
      for (const [name, count] of Object.entries(batch.counts ?? {}))
        counts[name] = (counts[name] ?? 0) + count
      return batch as Awaited<ReturnType<typeof work>>
    },
    setTotal: async () => {},
    throwIfEnded: async () => {},
    recordFault: async ({ error }) => {
      throw error
    },
  }
  const retentionShape = { huberDelta: 0.5, elasticRho: 0.3 }
  const started = performance.now()
  await createCompression({ db, retentionMode: 'huber', retentionShape }).run(context)
  return { seconds: (performance.now() - started) / 1_000, counts }
}

async function recallOf(
  vectors: readonly Embedding[],
  queries: readonly Embedding[],
  find: Find,
): Promise<number> {
  let found = 0
  for (const vector of queries) {
    const all = vectors.map((each) => computeDot(vector, each))
    const tenth = [...all].sort((one, other) => other - one)[9] ?? -1
    const near = (await find(vector)).slice(0, 10)
    found += near.filter(
      ({ id }) => (all[Number.parseInt(id.slice(-12), 16) - 1] ?? -1) >= tenth - 1e-6,
    ).length
  }
  return found / (10 * queries.length)
}
