import { randomUUID } from 'node:crypto'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { createCompression } from '../../../src/embeddings/index.ts'
import { createLogger } from '../../../src/kernel/log.ts'
import { createRunner } from '../../../src/maintenance/index.ts'
import { findRun, insertRun } from '../../../src/maintenance/maintenance.queries.ts'
import { presentRun } from '../../../src/maintenance/run-answer.ts'
import type { TestApp } from '../test-app.ts'
import { idleWorks, noIntervals } from './idle-jobs.ts'

const retention = { retentionMode: 'huber', retentionShape: { huberDelta: 0.5, elasticRho: 0.3 } } as const

/** Creates a worker that runs only `compress`, three vectors at a time. */
export function createCompressionWorker(
  { db, clock, ids }: Pick<TestApp, 'db' | 'clock' | 'ids'>,
  more: Pick<Parameters<typeof createRunner>[0], 'observe'> = {},
) {
  const log = createLogger({ level: 'silent', clock, write: () => {} })
  const jobWorks = { ...idleWorks, compress: createCompression({ db, ...retention, size: 3 }) }
  const runner = createRunner({
    db,
    clock,
    ids,
    log,
    jobWorks,
    worker: randomUUID(),
    intervals: noIntervals,
    ...more,
  })
  const attend = () => runner.runJob('compress', new AbortController().signal)

  async function ask(options: { dryRun?: boolean; scope?: string } = {}): Promise<string> {
    const id = randomUUID()
    await insertRun(db, { id, job: 'compress', trigger: 'manual', now: clock.now(), ...options })
    return id
  }

  async function read(id: string) {
    const row = await findRun(db, id, fullTrust)
    if (!row) throw new Error('no such run')
    return presentRun(row)
  }

  async function run(options: { dryRun?: boolean; scope?: string } = {}) {
    const id = await ask(options)
    await attend()
    return read(id)
  }

  return { ask, attend, read, run }
}
