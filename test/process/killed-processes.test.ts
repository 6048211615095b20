import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { it } from 'vitest'
import { verifyLoad } from '../support/checks/verify-load.ts'
import { openFaultEnvironment } from '../support/processes/fault-environment.ts'
import { until } from '../support/processes/processes.ts'
import { startLoad } from '../support/requests/client-load.ts'
import { createServerFolder } from '../support/servers/postgres-server.ts'
import { testDataRoot } from '../support/test-data-root.ts'

/** The longer version is `npm run faults`. */
it('everything acknowledged exists once and every law is kept when processes are killed under load', async () => {
  const folder = await createServerFolder(await mkdtemp(join(testDataRoot, 'membrane-faults-')))
  const { postgres, processes, url } = await openFaultEnvironment({ folder, workers: 1 })
  const { ledger, end } = startLoad(processes.urls, 4)
  const [api, worker] = [0, processes.urls.length]
  for (const killed of [api, worker]) {
    await sleep(500)
    processes.kill(killed)
  }
  await postgres.stop('SIGKILL')
  await postgres.start()
  const up = performance.now()
  await until('a write to be acknowledged', () => ledger.at > up, 60_000)
  await end()
  await verifyLoad('2 kills and a crash of PostgreSQL', url, processes, ledger)
})
