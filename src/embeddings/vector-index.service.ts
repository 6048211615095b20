import type { Database } from '../db/connection.ts'
import type { Logger } from '../kernel/log.ts'
import {
  createExtension,
  createNearestFunction,
  createNearestIndex,
  dropNearestIndex,
  findExtension,
  tryLockIndexing,
  unlockIndexing,
} from './vector-index.queries.ts'

/** The first that goes on searching where the nearest are of another model. */
const leastVersion = [0, 8] as const

/**
 * An index of signatures, where the extension pgvector can be had; without it a search passes over all of them. May
 * be run again at any time, and is to be by whoever installs pgvector later.
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
    // A role may be kept from creating extensions; everything works without, if more slowly.
    log.warn('vectors are searched without an index: pgvector could not be set up', { err: error })
  }
}

async function createIndex(session: Database): Promise<void> {
  if (!(await tryLockIndexing(session))) return
  try {
    await createExtension(session)
    // Looked for under the lock: an index that somebody else is building looks like one left half built.
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
  return major > leastVersion[0] || (major === leastVersion[0] && minor >= leastVersion[1])
}
