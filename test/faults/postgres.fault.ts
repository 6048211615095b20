import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { verifyLoad } from '../support/checks/verify-load.ts'
import { openFaultEnvironment } from '../support/processes/fault-environment.ts'
import { until } from '../support/processes/processes.ts'
import { startLoad } from '../support/requests/client-load.ts'

const ways = { 'in good order': 'SIGINT', 'at once': 'SIGQUIT', 'by a crash': 'SIGKILL' } as const

it('everything acknowledged survives restarts and a crash of PostgreSQL under load', async () => {
  const { postgres, processes, url } = await openFaultEnvironment()
  const { ledger, end } = startLoad(processes.urls, 12)
  for (const [name, signal] of [...Object.entries(ways), ...Object.entries(ways)]) {
    await sleep(2_000)
    await postgres.stop(signal)
    await sleep(1_000)
    await expectAway(processes.urls[0] ?? '')
    await postgres.start()
    const up = performance.now()
    await until('a write to be acknowledged', () => ledger.at > up, 60_000)
    const served = Math.round(ledger.at - up)
    process.stdout.write(`  PostgreSQL ended ${name}: a write ${served} ms after it answers again\n`)
  }
  await end()
  await verifyLoad('6 restarts of PostgreSQL', url, processes, ledger)
})

/** The process lives, reports that it is not ready and why, and answers 503 with Retry-After. */
async function expectAway(url: string): Promise<void> {
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  const refused = await fetch(`${url}/v1/records`)
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true])
}
