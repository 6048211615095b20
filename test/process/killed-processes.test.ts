import { setTimeout as sleep } from 'node:timers/promises'
import { it } from 'vitest'
import { startLoad } from '../support/client-load.ts'
import { openFaultEnvironment } from '../support/fault-environment.ts'
import { createRandom } from '../support/fuzz/random.ts'
import { until } from '../support/processes.ts'
import { verifyLoad } from '../support/verify-load.ts'

/** The longer version is `npm run faults`. */
it('everything acknowledged exists once and every law is kept when processes are killed under load', async () => {
  const { postgres, processes, url } = await openFaultEnvironment()
  const random = createRandom(1)
  const { ledger, end } = startLoad(processes.urls, 8)
  for (let nth = 0; nth < 4; nth++) {
    await sleep(500)
    processes.kill(random.below(processes.size))
  }
  await postgres.stop('SIGKILL')
  await postgres.start()
  const up = performance.now()
  await until('a write to be acknowledged', () => ledger.at > up, 60_000)
  await end()
  await verifyLoad('4 kills and a crash of PostgreSQL', url, processes, ledger)
})
