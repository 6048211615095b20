import { connect } from '../../src/db/connection.ts'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import { defaultRetentionShape } from '../../src/domain/lifecycle/retention.ts'
import { createDream } from '../../src/dream/index.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createRefresh } from '../../src/lifecycle/index.ts'
import { createRunner } from '../../src/maintenance/index.ts'
import { createPoliciesService } from '../../src/policies/index.ts'
import { idleWorks, noIntervals } from '../support/idle-jobs.ts'

/** A worker that kills itself at the nth step of a kind: `node killed-dream-worker.ts <url> <instant> <step> <nth>`. */
const [url = '', instant = '', fatalStep, nth] = process.argv.slice(2)

const clock = { now: () => new Date(instant) }
const { db } = connect({
  url,
  poolSize: 3,
  statementTimeoutMs: 30_000,
  lockTimeoutMs: 10_000,
  applicationName: 'killed-worker',
})
const ids = createIds(clock)
const textLanguage = 'english'
const dream = createDream({
  db,
  forgottenRetentionMs: 30 * 86_400_000,
  size: 20,
  refresh: createRefresh({ db, blocks: 1 }),
  retentionMode: 'huber',
  retentionShape: defaultRetentionShape,
  drift: { roots: [], textLanguage },
  writing: { ids, policies: createPoliciesService({ db, clock }), seal: createSeal(undefined), textLanguage },
})
let reached = 0
const runner = createRunner({
  db,
  clock,
  ids,
  worker: `killed-worker ${process.pid}`,
  log: createLogger({ level: 'silent', clock, write: () => {} }),
  jobWorks: { ...idleWorks, dream },
  intervals: noIntervals,
  observe: (step) => {
    if (step === fatalStep && ++reached === Number(nth)) process.kill(process.pid, 'SIGKILL')
  },
})
await runner.runJob('dream', new AbortController().signal)
process.exit(0)
