import { connect } from '../../src/db/connection.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createRunner } from '../../src/maintenance/index.ts'
import { buildExtractionOptions } from '../support/extraction-options.ts'
import { idleWorks, noIntervals } from '../support/idle-jobs.ts'
import { createSmallConsolidation } from '../support/small-consolidation.ts'

/** A worker that kills itself the nth time it reaches a step of a consolidation run. */
const [url = '', instant = '', fatalStep = '', nth = '1', endpoint = ''] = process.argv.slice(2)
const clock = { now: () => new Date(instant) }
const { db } = connect({
  url,
  poolSize: 3,
  statementTimeoutMs: 30_000,
  lockTimeoutMs: 10_000,
  applicationName: 'killed-worker',
})
const ids = createIds(clock)
const consolidate = createSmallConsolidation({
  db,
  clock,
  ids,
  extraction: buildExtractionOptions(endpoint, clock),
})
let reached = 0
const runner = createRunner({
  db,
  clock,
  ids,
  worker: `killed-worker ${process.pid}`,
  log: createLogger({ level: 'silent', clock, write: () => {} }),
  jobWorks: { ...idleWorks, consolidate },
  intervals: noIntervals,
  observe: (step) => {
    if (step === fatalStep && ++reached === Number(nth)) process.kill(process.pid, 'SIGKILL')
  },
})
await runner.runJob('consolidate', new AbortController().signal)
process.exit(0)
