import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { it, onTestFinished } from 'vitest'
import { expectRun, verifyLoad } from '../support/checks/verify-load.ts'
import { openFaultEnvironment } from '../support/processes/fault-environment.ts'
import { startLoad } from '../support/requests/client-load.ts'

const preloaded = resolve(import.meta.dirname, '../support/processes/shifted-clock.ts')
const hour = 3_600_000

it('everything acknowledged survives a clock that is set back by an hour and a killed worker, under load', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'membrane-clock-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'shift')
  const shift = (milliseconds: number) => writeFile(file, String(milliseconds))
  await shift(0)
  const { processes, url } = await openFaultEnvironment({
    variables: { FAULTS_CLOCK: file, MEMBRANE_DECAY_INTERVAL: '10s' },
    nodeArguments: ['--import', preloaded],
  })
  const { ledger, end } = startLoad(processes.urls, 8)
  await sleep(3_000)
  await killWorkers(processes)
  await shift(-hour)
  await sleep(3_000)
  for (const job of ['decay', 'consolidate', 'embed']) await expectRun(processes, job, 60_000)
  await killWorkers(processes)
  await shift(0)
  await sleep(3_000)
  for (const job of ['decay', 'consolidate', 'embed']) await expectRun(processes, job, 60_000)
  await end()
  await verifyLoad('the clock an hour back, and right again', url, processes, ledger)
})

/** Kills every worker in the middle of its work. */
async function killWorkers({ size, kill }: { size: number; kill(nth: number): string }): Promise<void> {
  for (let nth = 2; nth < size; nth++) kill(nth)
}
