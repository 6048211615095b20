import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { testDataRoot } from '../test-data-root.ts'
import { quitPostgres } from './postgres-processes.ts'

/** Creates an empty folder for an embedded database, and stops a server that the test leaves in it. */
export async function createDatabaseFolder(): Promise<string> {
  const folder = await mkdtemp(join(testDataRoot, 'membrane-data-'))
  onTestFinished(async () => {
    await quitPostgres(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  return folder
}
