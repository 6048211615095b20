import { createJobs } from '../../src/background.ts'
import { readConfig } from '../../src/config/config.ts'
import { systemClock as clock } from '../../src/kernel/clock.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { startWorking } from '../../src/process/worker-process.ts'

/** The role `worker`, except that its poll for due jobs looks once and then not again for an hour. */
const config = readConfig(process.env)
const log = createLogger({
  level: 'info',
  clock,
  bindings: { role: 'worker' },
  write: (line) => process.stdout.write(line),
})
const service = await startWorking({
  config,
  log,
  clock,
  createJobs: ({ db }, announcements) =>
    createJobs({ config, db, clock, ids: createIds(clock), log, announcements, pollMs: 3_600_000 }),
})
process.once('SIGTERM', async () => process.exit((await service.stop()) ? 0 : 1))
