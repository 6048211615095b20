import { setTimeout as sleep } from 'node:timers/promises'
import { it } from 'vitest'
import { startLoad } from '../support/client-load.ts'
import { openFaultEnvironment } from '../support/fault-environment.ts'
import { createRandom } from '../support/fuzz/random.ts'
import { until } from '../support/processes.ts'
import { verifyLoad } from '../support/verify-load.ts'

/** The long way round is `npm run faults`. */
it('what was acknowledged is there once, and every law is held, whoever was killed meanwhile', async () => {
  const { postgres: cluster, processes: stand, url } = await openFaultEnvironment()
  const random = createRandom(1)
  const { ledger, end } = startLoad(stand.urls, 8)
  for (let nth = 0; nth < 4; nth++) {
    await sleep(500)
    stand.kill(random.below(stand.size))
  }
  await cluster.stop('SIGKILL')
  await cluster.start()
  const up = performance.now()
  await until('a write to be acknowledged', () => ledger.at > up, 60_000)
  await end()
  await verifyLoad('4 kills and a crash of PostgreSQL', url, stand, ledger)
})
