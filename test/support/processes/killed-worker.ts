import { connect, type Database } from '../../../src/db/connection.ts'
import type { JobName } from '../../../src/jobs/job-names.ts'
import type { JobWork } from '../../../src/jobs/runs/runs.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { createIds, type Ids } from '../../../src/kernel/ids.ts'
import { createLogger } from '../../../src/kernel/log.ts'
import { createRunner } from '../../../src/maintenance/index.ts'
import { idleWorks, noIntervals } from '../workers/idle-jobs.ts'

/** `endpoint` is the address of a chat model, or empty. */
type Resources = { db: Database; clock: Clock; ids: Ids; endpoint: string }

/** Does one run of a job, and kills its own process the nth time it reaches a step: `<url> <instant> <step> <nth> <endpoint>`. */
export async function workUntilKilled(
  job: JobName,
  createWork: (resources: Resources) => JobWork,
): Promise<void> {
  const [url = '', instant = '', fatalStep, nth, endpoint = ''] = process.argv.slice(2)
  const clock = { now: () => new Date(instant) }
  const ids = createIds(clock)
  const { db } = connect({
    url,
    poolSize: 3,
    statementTimeoutMs: 30_000,
    lockTimeoutMs: 10_000,
    applicationName: 'killed-worker',
  })
  let reached = 0
  const runner = createRunner({
    db,
    clock,
    ids,
    worker: `killed-worker ${process.pid}`,
    log: createLogger({ level: 'silent', clock, write: () => {} }),
    jobWorks: { ...idleWorks, [job]: createWork({ db, clock, ids, endpoint }) },
    intervals: noIntervals,
    observe: (step) => {
      if (step === fatalStep && ++reached === Number(nth)) process.kill(process.pid, 'SIGKILL')
    },
  })
  await runner.runJob(job, new AbortController().signal)
  process.exit(0)
}
