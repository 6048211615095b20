import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { embeddedServerKey } from '../fragments/lock-keys.ts'
import { EmbeddedDatabaseError } from './embedded-failure.ts'
import { isAlive } from './embedded-postmaster.ts'

export type Claim = {
  /** Resolves when the server has ended and does not come back. */
  lost: Promise<void>
  release(): Promise<void>
}

/**
 * Claims the server for this process. The claim is a session lock, which ends with its holder in every case, so there
 * is no lock file that can become stale. `url` is that of the maintenance database, which is the same for every
 * process.
 */
export async function claimServer(url: string, folder: string, serverPid: number): Promise<Claim> {
  const lost = Promise.withResolvers<void>()
  let isReleased = false
  let session = await openClaimed(url, folder)
  const watch = () => {
    session.once('end', async () => {
      if (isReleased) return
      try {
        session = await reclaim(url, folder, () => !isReleased && isAlive(serverPid))
        if (isReleased) await session.end()
        else watch()
      } catch {
        lost.resolve()
      }
    })
  }
  watch()
  return {
    lost: lost.promise,
    release: async () => {
      isReleased = true
      await session.end()
    },
  }
}

/** When a backend crashes, PostgreSQL ends every session and recovers within seconds. */
async function reclaim(url: string, folder: string, isNeeded: () => boolean): Promise<pg.Client> {
  const deadline = performance.now() + 15_000
  for (;;) {
    await sleep(100)
    try {
      return await openClaimed(url, folder)
    } catch (error) {
      if (!isNeeded() || performance.now() > deadline) throw error
    }
  }
}

async function openClaimed(url: string, folder: string): Promise<pg.Client> {
  const session = new pg.Client({
    connectionString: url,
    application_name: `membrane ${process.pid}`,
    keepAlive: true,
  })
  // Without a listener it would end this process; `end` follows and is handled.
  session.on('error', () => {})
  await session.connect()
  try {
    await claim(session, folder)
    return session
  } catch (error) {
    await session.end()
    throw error
  }
}

async function claim(session: pg.Client, folder: string): Promise<void> {
  // The server may need a moment to notice that the holder was killed.
  const deadline = performance.now() + 3_000
  for (;;) {
    const tried = await session.query('select pg_try_advisory_lock($1) as granted', [embeddedServerKey])
    if (tried.rows[0].granted) return
    const holder = await findHolder(session)
    if (holder !== undefined && (isAlive(holder) || performance.now() > deadline))
      throw alreadyRunning(folder, holder)
    await sleep(50)
  }
}

async function findHolder(session: pg.Client): Promise<number | undefined> {
  const { rows } = await session.query(
    `select application_name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and objid = $1 and granted`,
    [embeddedServerKey],
  )
  return rows[0] ? Number(rows[0].application_name.split(' ')[1]) : undefined
}

function alreadyRunning(folder: string, holder: number): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `Membrane already runs on ${folder} (process ${holder}). Stop that one first, or set MEMBRANE_DATA_DIR to another folder.`,
  )
}

export async function ensureDatabase(url: string, name: string): Promise<void> {
  const session = new pg.Client({ connectionString: url })
  session.on('error', () => {})
  await session.connect()
  try {
    const { rowCount } = await session.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await session.query(`create database ${session.escapeIdentifier(name)}`)
  } finally {
    await session.end()
  }
}
