import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { verifyLoad } from '../support/checks/verify-load.ts'
import { createRandom } from '../support/fuzz/random.ts'
import { openFaultEnvironment } from '../support/processes/fault-environment.ts'
import { startLoad } from '../support/requests/client-load.ts'

const seed = Number(process.env['FAULTS_SEED'] ?? 1)
const kills = 20

it('everything acknowledged survives random kills of API and worker under load', async () => {
  const { processes, url } = await openFaultEnvironment()
  const random = createRandom(seed)
  const { ledger, end } = startLoad(processes.urls, 12)
  const killed: string[] = []
  for (let nth = 0; nth < kills; nth++) {
    await sleep(300 + 1_200 * random.unit())
    if (nth % 5 === 0) await requestRun(processes.urls, nth % 2 === 0 ? 'decay' : 'consolidate')
    killed.push(processes.kill(random.below(processes.size)))
  }
  await processes.ready()
  processes.kill(0)
  await sleep(100)
  process.stdout.write(`  an API that is killed serves again after ${100 + (await processes.ready())} ms\n`)
  await end()
  expect(killed).toHaveLength(kills)
  await verifyLoad(`${kills} kills (seed ${seed})`, url, processes, ledger)
})

/** Requests a run from any API, so that a worker is busy when it is killed. */
async function requestRun(urls: readonly string[], job: string): Promise<void> {
  for (const url of urls) {
    await fetch(`${url}/v1/maintenance/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ job }),
    }).catch(() => {})
  }
}
