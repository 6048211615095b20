import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder } from '../db/embedded/embedded-folder.ts'
import type { Ids } from '../kernel/ids.ts'
import { OperatorError } from './operator-error.ts'

const least = 16

/**
 * The key that marks erased content, made once and kept beside the data: in the database it would lie with what
 * it protects. A new one at each start would match nothing that was erased before.
 */
export async function openTombstoneKey(dataDir: string, ids: Ids): Promise<string> {
  const file = join(dataDir, 'tombstone.key')
  try {
    const key = await readKey(file)
    return key ?? (await createKey(dataDir, file, ids))
  } catch (error) {
    if (error instanceof OperatorError || !(error instanceof Error)) throw error
    throw new OperatorError(
      `The key for tombstones cannot be kept in ${file}: ${error.message}. Set MEMBRANE_TOMBSTONE_KEY, or MEMBRANE_DATA_DIR to another folder.`,
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
  throw new OperatorError(`${file} holds no key. Put the key back that was there, or delete the file.`)
}

/** Linked into place when it is whole: of two who start at once both go on with the one that came first. */
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
