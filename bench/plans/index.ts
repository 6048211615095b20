import { randomUUID } from 'node:crypto'
import { fullTrust } from '../../src/domain/trust/caller.ts'
import type { JobName } from '../../src/jobs/job-names.ts'
import { addMilliseconds } from '../../src/kernel/units.ts'
import { insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { insertPlan } from '../../src/maintenance/plan-rows.queries.ts'
import { insertApplication } from '../../src/plans/plan-applications.queries.ts'
import { listPlanChanges, summarisePlan } from '../../src/plans/plan-changes.queries.ts'
import { findPlan } from '../../src/plans/plans.queries.ts'
import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { vacuumTables } from '../decay/population.ts'
import { createWorker, type Worker } from '../decay/workers.ts'
import { assert, median } from '../load.ts'
import { atLeast, type Quantity, type Result } from '../result.ts'

const sizes = (process.env['BENCH_PLAN_CHANGES'] ?? '20000,100000').split(',').map(Number)
const week = 7 * 86_400_000

type Bench = {
  database: BenchDatabase
  note: BenchContext['note']
  worker: Worker
  size: number
  /** The size in words. */
  named: string
}

export async function benchPlans({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const results: Result[] = []
  for (const size of sizes) {
    const measured = await withDatabase(async (database) => {
      const named = size.toLocaleString('en')
      note(`${named} records to plan and ${named} to forget, all faded`)
      for (const scope of ['planned', 'run']) await populate(database, scope, size)
      const worker = createWorker(database.url, 'worker', { ms: 0 })
      try {
        return await measure({ database, note, worker, size, named })
      } finally {
        await worker.close()
      }
    })
    results.push(...measured)
  }
  return results
}

/** Records of many ages, half-lives and layers whose time is over, each with its content. */
async function populate({ pool }: BenchDatabase, scope: string, size: number): Promise<void> {
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
  const { note, size, named } = bench
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
  const read = await measureReading(bench, last.id)
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
  note('the undo is undone')
  const redone = await execute(bench, 'undo', { undoes: undone.id })
  await verifyForgotten(bench, 'run', size)
  return [
    describePreparation(bench, dry, planned),
    describe(bench, 'applying the plan', {
      done: applied,
      run,
      verified: `all ${named} are forgotten by the run of the application`,
    }),
    describe(bench, 'undoing the run', { done: undone, run, verified: `all ${named} are back` }),
    describe(bench, 'undoing the application', { done: alsoUndone, run, verified: `all ${named} are back` }),
    describe(bench, 'undoing the undo', {
      done: redone,
      run,
      verified: `all ${named} are forgotten again`,
    }),
    ...read,
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
  const id = randomUUID()
  const now = worker.clock.now()
  const options = {
    ...(planId === undefined ? {} : { plan_id: planId }),
    ...(undoes === undefined ? {} : { run_id: undoes, actor: 'bench', rationale: 'measured' }),
  }
  await insertRun(worker.db, { id, job, trigger: 'manual', now, dryRun, scope: scope ?? null, options })
  if (isPlan) await insertPlan(worker.db, { id, expiresAt: addMilliseconds(now, week) })
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

async function measureReading({ worker, size, named }: Bench, planId: string): Promise<Result[]> {
  const now = worker.clock.now()
  const reader = { trust: fullTrust, now }
  const plan = await repeat(async () => {
    const plan = await findPlan(worker.db, planId, reader)
    assert(plan?.status === 'ready' && plan.counts['prune'] === size, JSON.stringify(plan))
  })
  const page = await repeat(async () => {
    const rows = await listPlanChanges(worker.db, { ...reader, planId, after: middle, limit: 50 })
    assert(rows.length === 50, `${rows.length} changes`)
  })
  const summary = await repeat(async () => {
    const [group] = await summarisePlan(worker.db, { ...reader, planId })
    assert(group?.count === size, JSON.stringify(group))
  })
  const describeRead = (what: string, value: number, verified: string): Result => ({
    work: `${what}, ${named} changes`,
    measured: { value, unit: 'ms' },
    verified,
  })
  return [
    describeRead('reading a plan', plan, 'the plan is ready and counts all of its changes'),
    describeRead('a page in the middle of a plan', page, 'the page has 50 changes'),
    describeRead('the summary of a plan', summary, 'the summary counts all changes'),
  ]
}

const middle = { record_id: '80000000-0000-4000-8000-000000000000', action: 'prune' }

async function repeat(work: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let nth = 0; nth < 5; nth += 1) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
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

function describePreparation({ named }: Bench, dry: readonly Done[], planned: readonly Done[]): Result {
  const middleOf = (all: readonly Done[]) => median(all.map(({ seconds }) => seconds))
  const ratio = middleOf(planned) / middleOf(dry)
  return {
    work: `preparing a plan, ${named} changes`,
    measured: { value: middleOf(planned), unit: 's' },
    limit: { value: middleOf(dry), unit: 's', of: 'the dry run' },
    ratio,
    mustReach: { text: '≤ 1.2×', reached: ratio <= 1.2 },
    verified: 'the plan lists every record once',
    details: {
      plans: planned.map(({ seconds }) => seconds.toFixed(1)).join(', '),
      dry_runs: dry.map(({ seconds }) => seconds.toFixed(1)).join(', '),
    },
  }
}

type Compared = { done: Done; run: Done; verified: string }

function describe({ size, named }: Bench, what: string, { done, run, verified }: Compared): Result {
  const speed = ({ seconds }: Done): Quantity => ({ value: size / seconds, unit: 'changes/s' })
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
