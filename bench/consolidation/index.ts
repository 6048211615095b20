import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, median } from '../load.ts'
import type { Result } from '../result.ts'
import { known, populate, populateFacts, vacuumTables } from './population.ts'
import { type Consolidated, createWorker, type Worker } from './worker.ts'

const episodes = 100_000
const store = 1_000_000
/** New episodes in a hundred, where most were seen before. */
const usuallyNew = 5

type Bench = { database: BenchDatabase; worker: Worker; note: BenchContext['note'] }

export async function benchConsolidation({ withDatabase, note }: BenchContext): Promise<Result[]> {
  return withDatabase(async (database) => {
    const worker = createWorker(database.url)
    try {
      const bench = { database, worker, note }
      note('what is known already')
      await populate(database.pool, { offset: 0, count: 5 * known, newInHundred: 0 })
      await worker.consolidate()
      return [
        await measureNew(bench, { offset: store, newInHundred: usuallyNew, work: 'most of it seen before' }),
        await measureNew(bench, { offset: 2 * store, newInHundred: 100, work: 'none of it seen before' }),
        await measureIdle(bench),
      ]
    } finally {
      await worker.close()
    }
  })
}

type Experience = { offset: number; newInHundred: number; work: string }

async function measureNew(
  { database: { pool }, worker, note }: Bench,
  { offset, newInHundred, work }: Experience,
): Promise<Result> {
  note(`a hundred thousand episodes, ${work}`)
  await populate(pool, { offset, count: episodes, newInHundred })
  await vacuumTables(pool)
  const reading = await readOnce(pool, offset)
  await vacuumTables(pool)
  const consolidated = await worker.consolidate()
  await verify(pool, consolidated)
  const measured = episodes / consolidated.seconds
  const limit = episodes / reading
  return {
    work: `consolidation of 100k new episodes, structural stages, ${work}`,
    measured: { value: measured, unit: 'episodes/s' },
    limit: { value: limit, unit: 'episodes/s', of: 'reading them once' },
    ratio: measured / limit,
    mustReach: { text: '≥ 8,000 episodes/s', reached: measured >= 8_000 },
    details: { ...consolidated.stats },
    verified:
      'each episode compressed once, each success counted for one fact, no fact twice, nothing left on the list',
  }
}

/** Reads all that a stage needs of the episodes, a thousand at a time. */
async function readOnce(pool: BenchDatabase['pool'], offset: number): Promise<number> {
  const started = performance.now()
  let read = 0
  for (let from = offset; from < offset + episodes; from += 1_000) {
    const { rowCount } = await pool.query(
      `select r.id, r.scope, r.sensitivity, r.created_at, c.tags, c.payload
       from records as r join contents as c on c.record_id = r.id
       where r.id > ('00000000-0000-7000-8000-' || lpad(to_hex($1::int), 12, '0'))::uuid
         and r.id <= ('00000000-0000-7000-8000-' || lpad(to_hex($1::int + 1000), 12, '0'))::uuid`,
      [from],
    )
    read += rowCount ?? 0
  }
  assert(read === episodes, `${read} episodes were read`)
  return (performance.now() - started) / 1_000
}

async function verify(pool: BenchDatabase['pool'], { stats }: Consolidated): Promise<void> {
  assert(stats['episodic_compressed'] === episodes, `${stats['episodic_compressed']} were compressed`)
  const { rows } = await pool.query<Record<'left' | 'successes' | 'witnessed' | 'twins' | 'twice', number>>(
    `select
       (select count(*)::int from unconsolidated where stage::text = any($1::text[])) as left,
       (select count(*)::int from contents where payload ->> 'outcome' = 'success') as successes,
       (select count(*)::int from relations join records as r on r.id = source_id
         where predicate = 'derived_from' and r.type = 'semantic') as witnessed,
       (select count(*)::int from (
         select from handles where detail is not null group by digest, detail, scope having count(*) > 1) as twin) as twins,
       (select count(*)::int from (
         select from audit_entries where action = 'decay' group by record_id having count(*) > 1) as again) as twice`,
    [Object.keys(stats).flatMap((name) => (name.endsWith('_ms') ? [name.slice(0, -3)] : []))],
  )
  const { left, successes, witnessed, twins, twice } = rows[0] ?? {}
  assert(left === 0 && twins === 0 && twice === 0, `${left} left, ${twins} twins, ${twice} compressed twice`)
  assert(successes === witnessed, `${witnessed} of ${successes} successes were counted`)
}

async function measureIdle({ database: { pool }, worker, note }: Bench): Promise<Result> {
  note('a million records, nothing new')
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from records')
  await populateFacts(pool, 3 * store, Math.max(0, store - (rows[0]?.count ?? 0)))
  await vacuumTables(pool)
  const times: number[] = []
  for (let nth = 0; nth < 11; nth++) {
    const { seconds, stats } = await worker.consolidate()
    assert(
      Object.values(stats).every((count) => count === 0),
      'something was new',
    )
    times.push(seconds * 1_000)
  }
  const value = median(times)
  return {
    work: 'consolidation, nothing new, 1M records',
    measured: { value, unit: 'ms' },
    mustReach: { text: '< 100 ms', reached: value < 100 },
    details: { slowest_ms: Math.max(...times) },
    verified: 'the time of a whole run, from its claim to its end; no run counted anything',
  }
}
