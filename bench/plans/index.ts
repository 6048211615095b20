import { randomUUID } from 'node:crypto'
import { fullTrust } from '../../src/domain/caller.ts'
import type { JobName } from '../../src/jobs/job-names.ts'
import { momentAfter } from '../../src/kernel/units.ts'
import { insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { insertPlan } from '../../src/maintenance/plan-rows.queries.ts'
import { insertApplication } from '../../src/plans/plan-applications.queries.ts'
import { findPlan } from '../../src/plans/plans.queries.ts'
import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { vacuumTables } from '../decay/population.ts'
import { createWorker, type Worker } from '../decay/workers.ts'
import { assert, median } from '../load.ts'
import { atLeast, type Quantity, type Result } from '../result.ts'

const size = Number(process.env['BENCH_PLAN_CHANGES'] ?? 100_000)
const named = size.toLocaleString('en')
const week = 7 * 86_400_000

type Bench = { database: BenchDatabase; note: BenchContext['note']; worker: Worker }

export async function benchPlans({ withDatabase, note }: BenchContext): Promise<Result[]> {
  return withDatabase(async (database) => {
    note(`${named} records to plan and ${named} to forget, all faded`)
    for (const scope of ['planned', 'run']) await populate(database, scope)
    const worker = createWorker(database.url, 'worker', { ms: 0 })
    try {
      return await measure({ database, note, worker })
    } finally {
      await worker.close()
    }
  })
}

/** Records of many ages, half-lives and layers whose time is over, each with its content. */
async function populate({ pool }: BenchDatabase, scope: string): Promise<void> {
  await pool.query(
    `insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
       scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
       max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
       emotional_valence, access_count, confirmation_count, version, curve, deletion_policy, pinned, prune_at)
     select gen_random_uuid(), 'semantic', 'low', 'semantic', 'fact', 'active', 'ai', 1, created, $2, base, base,
       created, created, created, 3600, 0, 0, 0, 1, random(), 0.5, 0, 0, 0, 1, 'linear', 'auto_prune', false,
       created + interval '2 hours'
     from (
       select 0.5 + random() / 2 as base, now() - (1 + random()) * interval '1 day' as created
       from generate_series(1, $1::int) as n
     ) as drawn`,
    [size, scope],
  )
  await pool.query(
    `insert into contents (record_id, tags, payload, provenance, search)
     select id, '{}', '{"kind": "semantic", "subject": "s", "predicate": "p", "object": 1}',
       '{"sources": [{"kind": "event", "ref": "bench"}]}', to_tsvector('simple', 'the subject of ' || id)
     from records where scope = $1`,
    [scope],
  )
}

async function measure(bench: Bench): Promise<Result[]> {
  const { note } = bench
  await execute(bench, 'decay', { scope: 'planned', dryRun: true })
  const [dry, planned]: [Done[], Done[]] = [[], []]
  for (const nth of [1, 2, 3]) {
    note(`dry run and plan, round ${nth}`)
    dry.push(await execute(bench, 'decay', { scope: 'planned', dryRun: true }))
    planned.push(await execute(bench, 'decay', { scope: 'planned', dryRun: true, isPlan: true }))
  }
  note('reading the plan')
  const last = planned.at(-1)
  assert(last !== undefined, 'no plan')
  const readMs = await measureReading(bench, last.id)
  note('the run')
  const run = await execute(bench, 'decay', { scope: 'run' })
  await verifyForgotten(bench, 'run', size)
  note('the plan is applied')
  const applied = await execute(bench, 'decay', { scope: 'planned', planId: last.id })
  await verifyForgotten(bench, 'planned', size)
  note('the run is undone')
  const undone = await execute(bench, 'undo', { undoes: run.id })
  await verifyForgotten(bench, 'run', 0)
  note('the application is undone')
  const alsoUndone = await execute(bench, 'undo', { undoes: applied.id })
  await verifyForgotten(bench, 'planned', 0)
  return [
    describePreparation(dry, planned),
    ...[
      describe('applying the plan', applied, run, `all ${named} are forgotten by the run of the application`),
      describe('undoing the run', undone, run, `all ${named} are back`),
      describe('undoing the application', alsoUndone, run, `all ${named} are back`),
    ],
    {
      work: `reading a plan of ${named} changes`,
      measured: { value: readMs, unit: 'ms' },
      verified: 'the plan is ready and counts all of its changes',
    },
  ]
}

type Done = { id: string; seconds: number }
type Order = {
  scope?: string
  dryRun?: boolean
  isPlan?: boolean
  planId?: string
  undoes?: string
}

/** Executes one run, from its request to its end. */
async function execute({ database, worker }: Bench, job: JobName, order: Order): Promise<Done> {
  const { scope, dryRun = false, isPlan = false, planId, undoes } = order
  await vacuumTables(database.pool, [
    'records',
    'contents',
    'audit_entries',
    'run_effects',
    'maintenance_changes',
  ])
  const [id, now] = [randomUUID(), worker.clock.now()]
  const options = {
    ...(planId === undefined ? {} : { plan_id: planId }),
    ...(undoes === undefined ? {} : { run_id: undoes, actor: 'bench', rationale: 'measured' }),
  }
  await insertRun(worker.db, { id, job, trigger: 'manual', now, dryRun, scope: scope ?? null, options })
  if (isPlan) await insertPlan(worker.db, { id, expiresAt: momentAfter(now, week) })
  if (planId !== undefined)
    await worker.db.transaction().execute((tx) => insertApplication(tx, { planId, runId: id, selection: {} }))
  const started = performance.now()
  await worker.attend(job)
  const seconds = (performance.now() - started) / 1_000
  const run = await worker.db
    .selectFrom('maintenance_runs')
    .where('id', '=', id)
    .select(['status', 'error', 'stats'])
    .executeTakeFirstOrThrow()
  assert(run.status === 'succeeded' && run.error === null, `the run ${run.status}: ${run.error}`)
  return { id, seconds }
}

async function measureReading({ worker }: Bench, id: string): Promise<number> {
  const times: number[] = []
  for (let nth = 0; nth < 5; nth += 1) {
    const started = performance.now()
    const plan = await findPlan(worker.db, id, { trust: fullTrust, now: worker.clock.now() })
    times.push(performance.now() - started)
    assert(plan?.status === 'ready' && plan.counts['prune'] === size, JSON.stringify(plan))
  }
  return median(times)
}

async function verifyForgotten({ database: { pool } }: Bench, scope: string, expected: number) {
  const { rows } = await pool.query<{ count: number }>(
    'select count(*)::int as count from records where scope = $1 and forgotten_at is not null',
    [scope],
  )
  assert(rows[0]?.count === expected, `${rows[0]?.count} of ${expected} records are forgotten`)
}

const speed = ({ seconds }: { seconds: number }): Quantity => ({ value: size / seconds, unit: 'changes/s' })

function describePreparation(dry: readonly Done[], planned: readonly Done[]): Result {
  const middle = (all: readonly Done[]) => median(all.map(({ seconds }) => seconds))
  const ratio = middle(planned) / middle(dry)
  return {
    work: `preparing a plan, ${named} changes`,
    measured: { value: middle(planned), unit: 's' },
    limit: { value: middle(dry), unit: 's', of: 'the dry run' },
    ratio,
    mustReach: { text: '≤ 1.2×', reached: ratio <= 1.2 },
    verified: 'the plan lists every record once',
    details: {
      plans: planned.map(({ seconds }) => seconds.toFixed(1)).join(', '),
      dry_runs: dry.map(({ seconds }) => seconds.toFixed(1)).join(', '),
    },
  }
}

function describe(what: string, done: Done, run: Done, verified: string): Result {
  const ratio = run.seconds / done.seconds
  return {
    work: `${what}, ${named} changes`,
    measured: speed(done),
    limit: { ...speed(run), of: 'the run' },
    ratio,
    mustReach: atLeast(ratio, 0.5),
    verified,
  }
}
