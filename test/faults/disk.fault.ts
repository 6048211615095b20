import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { verifyLoad } from '../support/checks/verify-load.ts'
import { openFaultEnvironment } from '../support/processes/fault-environment.ts'
import { until } from '../support/processes/processes.ts'
import { startLoad } from '../support/requests/client-load.ts'
import { createServerFolder } from '../support/servers/postgres-server.ts'

/** Creates a disk of some megabytes; undefined when this user may not. */
async function openDisk(megabytes: number): Promise<string | undefined> {
  const place = await mkdtemp(join(tmpdir(), 'membrane-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', place], {
      stdio: 'ignore',
    })
  } catch {
    return undefined
  }
  onTestFinished(async () => {
    execFileSync('umount', ['--lazy', place])
    await rm(place, { recursive: true, force: true })
  })
  return createServerFolder(join(place, 'data'))
}

it('everything acknowledged survives a full disk under load', async (context) => {
  const folder = await openDisk(400)
  if (!folder) return context.skip('this user may not mount a disk of its own')
  const settings = ['shared_buffers=32MB', 'max_wal_size=64MB', 'min_wal_size=32MB']
  const { postgres, processes, url } = await openFaultEnvironment({ folder, settings })
  const { ledger, end } = startLoad(processes.urls, 12)
  await sleep(2_000)
  const filled = await fill(folder)
  const at = performance.now()
  await until('the disk to be full for a while', () => performance.now() - at > 15_000, 30_000)
  const refused = [...ledger.answers].filter(([status]) => status !== 'lost' && status >= '500')
  expect(refused.map(([status]) => status)).toEqual(['503'])
  expect((await fetch(`${processes.urls[0]}/livez`)).status).toBe(200)
  const how = postgres.isRunning() ? 'lives on' : 'has ended'
  await rm(filled)
  // A process that cannot write its log ends and is restarted by its supervisor.
  await postgres.start()
  const up = performance.now()
  await until('a write to be acknowledged', () => ledger.at > up, 60_000)
  process.stdout.write(
    `  a full disk: PostgreSQL ${how}; a write ${Math.round(ledger.at - up)} ms after it has room again\n`,
  )
  await end()
  await verifyLoad('the disk full for 15 s', url, processes, ledger)
})

/** Fills the disk and keeps it full. */
async function fill(folder: string): Promise<string> {
  const file = join(folder, 'filler')
  const megabyte = Buffer.alloc(1_048_576)
  for (;;) {
    try {
      await writeFile(file, megabyte, { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return file
      throw error
    }
  }
}
