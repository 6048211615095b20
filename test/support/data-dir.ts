import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { dataFolder } from './data-folder.ts'
import { quitPostgres } from './postgres-processes.ts'

/** Creates an empty folder for an embedded database, and stops a server that the test leaves in it. */
export async function createDataDir(): Promise<string> {
  const folder = await mkdtemp(join(dataFolder, 'membrane-data-'))
  onTestFinished(async () => {
    await quitPostgres(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  return folder
}
