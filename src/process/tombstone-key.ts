import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder } from '../db/embedded/embedded-folder.ts'
import type { Ids } from '../kernel/ids.ts'
import { OperatorError } from './operator-error.ts'

const least = 16

/**
 * Returns the key for tombstones, which is created once and kept beside the data. In the database it would be stored
 * with the digests that it protects. A new key at each start would match nothing that was erased before.
 */
export async function openTombstoneKey(dataDir: string, ids: Ids): Promise<string> {
  const file = join(dataDir, 'tombstone.key')
  try {
    const key = await readKey(file)
    return key ?? (await createKey(dataDir, file, ids))
  } catch (error) {
    if (error instanceof OperatorError || !(error instanceof Error)) throw error
    throw new OperatorError(
      `The key for tombstones cannot be stored in ${file}: ${error.message}. Set MEMBRANE_TOMBSTONE_KEY, or MEMBRANE_DATA_DIR to another folder.`,
    )
  }
}

async function readKey(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const key = text?.trim()
  if (key === undefined || key.length >= least) return key
  throw new OperatorError(`${file} contains no key. Restore the former key, or delete the file.`)
}

/** The file is complete before it gets its name: two processes that start at once use the same key. */
async function createKey(dataDir: string, file: string, ids: Ids): Promise<string> {
  const draft = `${file}.${ids.random()}`
  await createFolder(dataDir)
  await writeFile(draft, `${ids.secret(32)}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return (await readKey(file)) ?? ''
}
