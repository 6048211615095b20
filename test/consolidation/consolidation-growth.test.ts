import type { Pool } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { populate } from '../../bench/consolidation/population.ts'
import { createWorker } from '../../bench/consolidation/worker.ts'
import { isLongRun } from '../support/long-run.ts'
import { openTestDatabase } from '../support/servers/database.ts'

const [store, growth, batch] = isLongRun ? [800, 8, 60] : [300, 5, 30]
/** Half of a population around a multiple of this says something new. */
const period = 200_000

type Reads = ReadonlyMap<string, number>

/** Returns the rows that all sessions have read so far, by table. The few rows of runs are read as a whole. */
async function countReads(pool: Pool): Promise<Reads> {
  const { rows } = await pool.query<{ name: string; reads: number }>(`
    select t.relname as name, (t.seq_tup_read + coalesce(i.reads, 0))::int as reads
    from pg_stat_user_tables as t
    left join (
      select relid, sum(idx_tup_read) as reads from pg_stat_user_indexes group by relid
    ) as i using (relid)
    where t.relname <> 'maintenance_runs'`)
  return new Map(rows.map(({ name, reads }) => [name, reads]))
}

/** A session reports what it has read at the latest when it ends. */
async function untilSessionsEnd(pool: Pool): Promise<void> {
  const isOver = async () => {
    const { rows } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'bench'`,
    )
    return rows.length === 0
  }
  await expect.poll(isOver).toBe(true)
}

async function openStore() {
  const { pool, url, close } = await openTestDatabase()
  onTestFinished(close)
  // What the planner believes of the tables is decided here alone.
  const { rows } = await pool.query<{ name: string }>(
    `select relid::regclass::text as name from pg_stat_user_tables join pg_class as c on c.oid = relid where c.relkind = 'r'`,
  )
  for (const { name } of rows) await pool.query(`alter table ${name} set (autovacuum_enabled = false)`)
  let populations = 0

  async function consolidate(count: number): Promise<void> {
    populations += 1
    await populate(pool, { offset: populations * period - count / 2, count, newInHundred: 50 })
    const worker = createWorker(url)
    await worker.consolidate()
    await worker.close()
    await untilSessionsEnd(pool)
  }

  async function measureOnce(): Promise<Reads> {
    // The list of open work holds the entries of finished work until a vacuum.
    await pool.query('vacuum unconsolidated')
    const before = await countReads(pool)
    await consolidate(batch)
    const after = await countReads(pool)
    return new Map([...after].map(([name, reads]) => [name, reads - (before.get(name) ?? 0)]))
  }

  /**
   * Returns what the consolidation of a few new episodes reads, the less of two tries for each table: a session that gets the
   * number of an earlier one also reads what that one has counted, in a store of any size.
   */
  async function measure(): Promise<Reads> {
    await consolidate(batch)
    const first = await measureOnce()
    const second = await measureOnce()
    return new Map([...first].map(([name, reads]) => [name, Math.min(reads, second.get(name) ?? 0)]))
  }

  return { consolidate, measure, analyze: () => pool.query('vacuum analyze') }
}

const statistics = isLongRun
  ? (['that were never made', 'of today', 'of an empty store', 'of a small store'] as const)
  : (['that were never made'] as const)

it.each(statistics)(
  'a batch reads as much of a large store as of a small one, with statistics %s',
  async (made) => {
    const { consolidate, measure, analyze } = await openStore()
    if (made === 'of an empty store') await analyze()
    if (made === 'of a small store') {
      await consolidate(store / 8)
      await analyze()
    }
    await consolidate(store)
    if (made === 'of today') await analyze()
    const small = await measure()
    await consolidate(store * (growth - 1))
    if (made === 'of today') await analyze()
    const large = await measure()
    const grown = [...large].filter(([name, reads]) => reads > 1.5 * (small.get(name) ?? 0) + 3 * batch)
    expect(grown.map(([name, reads]) => `${name}: ${small.get(name)} and ${reads} rows`)).toEqual([])
  },
)
