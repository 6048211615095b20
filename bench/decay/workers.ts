import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/db/connection.ts'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import type { JobName } from '../../src/jobs/job-names.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createDecay, createImportanceRefresh } from '../../src/lifecycle/index.ts'
import { createRunner } from '../../src/maintenance/index.ts'
import { insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { addPlanApplication } from '../../src/plans/index.ts'
import { createSimulation } from '../../src/simulation/index.ts'
import { createUndo } from '../../src/undo/index.ts'
import { idleWorks, noIntervals } from '../../test/support/workers/idle-jobs.ts'
import { assert } from '../load.ts'

const day = 86_400_000

export type Worker = ReturnType<typeof createWorker>

/** A worker as in the role `worker`, without the queue, which only wakes it. */
export function createWorker(url: string, name: string, ahead: { ms: number }) {
  const connection = connect({
    url,
    poolSize: 5,
    statementTimeoutMs: 300_000,
    lockTimeoutMs: 10_000,
    applicationName: name,
  })
  const { db } = connection
  const clock = { now: () => new Date(systemClock.now().getTime() + ahead.ms) }
  const seal = createSeal(undefined)
  const runner = createRunner({
    db,
    clock,
    ids: createIds(clock),
    worker: name,
    intervals: noIntervals,
    log: createLogger({ level: 'error', clock, write: (line) => process.stderr.write(line) }),
    jobWorks: addPlanApplication(
      { db, seal },
      {
        ...idleWorks,
        decay: createDecay({ db, forgottenRetentionMs: 30 * day, revisedRetentionMs: 90 * day }),
        refresh_importance: createImportanceRefresh({ db }),
        simulation: createSimulation({ db }),
        undo: createUndo({ db, seal }),
      },
    ),
  })
  const attend = (job: JobName) => runner.runJob(job, new AbortController().signal)
  return { db, clock, attend, close: connection.close }
}

/** Two workers, whose clock can be set ahead. */
export type TwoWorkers = { one: Worker; two: Worker; ahead: { ms: number } }

export async function withTwoWorkers<T>(url: string, work: (workers: TwoWorkers) => Promise<T>): Promise<T> {
  const ahead = { ms: 0 }
  const one = createWorker(url, 'one', ahead)
  const two = createWorker(url, 'two', ahead)
  try {
    return await work({ one, two, ahead })
  } finally {
    await Promise.all([one.close(), two.close()])
  }
}

export type Swept = { seconds: number; startedAt: Date; stats: Record<string, number>; byHelpers: number }

/** Executes one run, from its request to its end, with the first worker; the others help. */
export async function sweep([leader, ...helpers]: readonly Worker[], job: JobName = 'decay'): Promise<Swept> {
  if (!leader) throw new Error('a sweep needs a worker')
  const id = randomUUID()
  await insertRun(leader.db, { id, job, trigger: 'manual', now: leader.clock.now() })
  const started = performance.now()
  let isOver = false
  const leading = leader.attend(job).finally(() => {
    isOver = true
  })
  let byHelpers = 0
  const helping = helpers.map(async (helper) => {
    while (!isOver) {
      byHelpers += await helper.attend(job)
      await sleep(20)
    }
  })
  await leading
  const seconds = (performance.now() - started) / 1_000
  await Promise.all(helping)
  const run = await leader.db
    .selectFrom('maintenance_runs')
    .where('id', '=', id)
    .select(['status', 'stats', 'started_at', 'error'])
    .executeTakeFirstOrThrow()
  assert(run.status === 'succeeded' && run.error === null, `the run ${run.status}: ${run.error}`)
  // Stats contain only counts.
  const stats = run.stats as Record<string, number>
  return { seconds, startedAt: run.started_at ?? new Date(0), stats, byHelpers }
}
