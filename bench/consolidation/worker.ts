import { randomUUID } from 'node:crypto'
import { createConsolidation } from '../../src/consolidation/index.ts'
import { connect } from '../../src/db/connection.ts'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import { systemClock as clock } from '../../src/kernel/clock.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createRunner } from '../../src/maintenance/index.ts'
import { insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { createPoliciesService } from '../../src/policies/index.ts'
import { idleWorks, noIntervals } from '../../test/support/workers/idle-jobs.ts'
import { assert } from '../load.ts'

export type Worker = ReturnType<typeof createWorker>
export type Consolidated = { seconds: number; stats: Readonly<Record<string, number>> }

/** A worker as in the role `worker`, without the queue and without a model. */
export function createWorker(url: string) {
  const { db, close } = connect({
    url,
    poolSize: 5,
    statementTimeoutMs: 300_000,
    lockTimeoutMs: 10_000,
    applicationName: 'bench',
  })
  const ids = createIds(clock)
  const runner = createRunner({
    db,
    clock,
    ids,
    worker: 'bench',
    intervals: noIntervals,
    log: createLogger({ level: 'error', clock, write: (line) => process.stderr.write(line) }),
    jobWorks: {
      ...idleWorks,
      consolidate: createConsolidation({
        db,
        clock,
        ids,
        textLanguage: 'english',
        compressionAgeMs: 86_400_000,
        seal: createSeal('the tombstone key of the bench'),
        policies: createPoliciesService({ db, clock }),
      }),
    },
  })

  /** Executes one run, from its request to its end. */
  async function consolidate(): Promise<Consolidated> {
    const id = randomUUID()
    await insertRun(db, { id, job: 'consolidate', trigger: 'manual', now: clock.now() })
    const started = performance.now()
    await runner.runJob('consolidate', new AbortController().signal)
    const seconds = (performance.now() - started) / 1_000
    const run = await db
      .selectFrom('maintenance_runs')
      .where('id', '=', id)
      .select(['status', 'stats', 'error'])
      .executeTakeFirstOrThrow()
    assert(run.status === 'succeeded' && run.error === null, `the run ${run.status}: ${run.error}`)
    // Stats contain only counts.
    return { seconds, stats: run.stats as Record<string, number> }
  }

  return { consolidate, close }
}
