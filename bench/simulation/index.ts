import { randomUUID } from 'node:crypto'
import { insertRun } from '../../src/maintenance/maintenance.queries.ts'
import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { createWorker, type Worker } from '../decay/workers.ts'
import { populate } from '../importance/population.ts'
import { assert } from '../load.ts'
import type { Result } from '../result.ts'

const size = Number(process.env['BENCH_SIMULATION_RECORDS'] ?? 100_000)
const named = size.toLocaleString('en')
const most = 60

type Curve = { value: number; forgotten: number; regretted: number }[]

/** A month of two-month-old memories, every fifth with 1 to 40 accesses, under five half-lives and five budgets. */
export async function benchSimulation({ withDatabase, note }: BenchContext): Promise<Result[]> {
  return withDatabase(async (database) => {
    note(`${named} records`)
    await populate(database.pool, size)
    await addContents(database)
    const worker = createWorker(database.url, 'one', { ms: 0 })
    try {
      const days = [1, 2, 4, 8, 16].map((each) => each * 86_400)
      const limits = [0.1, 0.25, 0.5, 0.75, 1].map((share) => (share * size) / 100)
      return [
        await measure(worker, 'five half-lives', { half_life: { type: 'episodic', seconds: days } }),
        await measure(worker, 'five budgets of a hundred scopes', { budget: { max_records: limits } }),
      ]
    } finally {
      await worker.close()
    }
  })
}

async function addContents({ pool }: BenchDatabase): Promise<void> {
  await pool.query(
    `insert into contents (record_id, tags, payload, provenance, interpretation, search)
     select id, '{}', jsonb_build_object('kind', 'episodic', 'summary', repeat('a message of a conversation ', 20)),
       '{"sources": [{"type": "observation", "ref": "bench"}]}', null, ''
     from records`,
  )
  await pool.query('analyze')
}

async function measure({ db, clock, attend }: Worker, what: string, asked: object): Promise<Result> {
  const id = randomUUID()
  const options = { over: '30d', max_sensitivity: 'hyper', ...asked }
  await insertRun(db, { id, job: 'simulation', trigger: 'manual', now: clock.now(), options })
  const started = performance.now()
  await attend('simulation')
  const seconds = (performance.now() - started) / 1_000
  const run = await db
    .selectFrom('maintenance_runs')
    .where('id', '=', id)
    .select(['status', 'stats', 'done'])
    .executeTakeFirstOrThrow()
  assert(run.status === 'succeeded', `the run ${run.status}`)
  assert(run.done === size, `${run.done} records were read`)
  const { curve } = run.stats as { curve: Curve }
  const isFalling = curve.every(({ forgotten }, place) => forgotten <= (curve[place - 1]?.forgotten ?? size))
  assert(isFalling, 'a longer half-life or a larger budget forgot more')
  return {
    work: `simulation of 30 days, ${named} records, ${what}`,
    measured: { value: seconds, unit: 's' },
    mustReach: { text: `≤ ${most} s`, reached: seconds <= most },
    details: { curve: curve.map(({ forgotten, regretted }) => `${forgotten}/${regretted}`).join(' ') },
    verified: 'the run read every record, and no larger value forgot more',
  }
}
