import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { systemClock } from '../../kernel/clock.ts'
import { createIds } from '../../kernel/ids.ts'
import { type Account, serverEnvironment } from './embedded-account.ts'
import { EmbeddedDatabaseError } from './embedded-failure.ts'
import { isAlive } from './embedded-postmaster.ts'

type Cluster = { cluster: string; initdb: string; account: Account; durable: boolean }

export const superuser = 'membrane'

/**
 * Creates the cluster if there is none. It is built in a temporary folder and renamed when complete, so that an
 * existing cluster is never half of one.
 */
export async function ensureCluster(options: Cluster): Promise<{ created: boolean }> {
  if (await exists(join(options.cluster, 'PG_VERSION'))) return { created: false }
  await removeAbandoned(options.cluster)
  const staging = `${options.cluster}.new-${process.pid}`
  try {
    await initialise(staging, options)
    return { created: await moveIntoPlace(join(staging, 'data'), options.cluster) }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

export async function readPassword(cluster: string): Promise<string> {
  return (await readFile(join(cluster, passwordFile), 'utf8')).trim()
}

const passwordFile = 'membrane.password'

async function initialise(staging: string, { initdb, account, durable }: Cluster): Promise<void> {
  const data = join(staging, 'data')
  const password = join(staging, passwordFile)
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { mode: 0o700, recursive: true })
  await writeFile(password, `${createIds(systemClock).secret(24)}\n`, { mode: 0o600 })
  await account.own(staging)
  await account.own(password)
  const { command, args, options } = account.launch(initdb, [
    '--pgdata',
    data,
    '--username',
    superuser,
    '--pwfile',
    password,
    '--auth-host',
    'scram-sha-256',
    '--auth-local',
    durable ? 'scram-sha-256' : 'trust',
    // Sorting by code point and Unicode case rules, the same on every machine and with every libc.
    '--encoding',
    'UTF8',
    '--no-locale',
    '--locale-provider',
    'builtin',
    '--builtin-locale',
    'C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ])
  const child = spawn(command, args, {
    ...options,
    env: serverEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]).catch((error) => {
    throw new EmbeddedDatabaseError(`PostgreSQL could not be set up: ${error.message}`, error)
  })
  if (code !== 0) throw new EmbeddedDatabaseError(`PostgreSQL could not be set up:\n${complaint.trim()}`)
  await rename(password, join(data, passwordFile))
}

/** Two first starts at the same time both initialise a cluster; the second to finish uses that of the first. */
async function moveIntoPlace(data: string, cluster: string): Promise<boolean> {
  try {
    await rename(data, cluster)
    return true
  } catch (error) {
    if (await exists(join(cluster, 'PG_VERSION'))) return false
    throw new EmbeddedDatabaseError(
      `${cluster} exists and is not a database cluster. Move it away, or set MEMBRANE_DATA_DIR to another folder.`,
      error,
    )
  }
}

/** Deletes what a killed start left behind; a start that still runs keeps its folder. */
async function removeAbandoned(cluster: string): Promise<void> {
  const prefix = `${basename(cluster)}.new-`
  for (const name of await readdir(dirname(cluster))) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length)))) continue
    // An initdb that outlived its parent may still write into it; a later start tries again.
    await rm(join(dirname(cluster), name), { recursive: true, force: true }).catch(() => {})
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
