import type { Database } from '../../db/connection.ts'
import type { Logger } from '../../kernel/log.ts'
import {
  createExtension,
  createNearestFunction,
  createNearestIndex,
  dropNearestIndex,
  findExtension,
  tryLockIndexing,
  unlockIndexing,
} from './vector-index.queries.ts'

/** The first version that continues a search when the nearest entries belong to another model. */
const minVersion = [0, 8] as const

/**
 * Creates an index of signatures when the extension pgvector is available. Without it a search reads all signatures.
 * Safe to run again at any time, for example after pgvector was installed.
 */
export async function ensureNearestIndex(db: Database, log: Logger): Promise<void> {
  const { available, installed } = await findExtension(db)
  if (available === null) return
  if (!isLate(installed ?? available)) {
    log.warn('pgvector is too old to be used', { version: installed ?? available })
    return
  }
  try {
    await db.connection().execute(createIndex)
  } catch (error) {
    // A role may not be allowed to create extensions. Everything works without the index, only slower.
    log.warn('vectors are searched without an index: pgvector could not be set up', { err: error })
  }
}

async function createIndex(session: Database): Promise<void> {
  if (!(await tryLockIndexing(session))) return
  try {
    await createExtension(session)
    // Checked under the lock: an index that another session is building looks like an interrupted one.
    const { hasBrokenIndex } = await findExtension(session)
    if (hasBrokenIndex) await dropNearestIndex(session)
    await createNearestIndex(session)
    await createNearestFunction(session)
  } finally {
    await unlockIndexing(session)
  }
}

function isLate(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])
}
