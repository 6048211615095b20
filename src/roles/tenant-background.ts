import { setTimeout as sleep } from 'node:timers/promises'
import { type BackgroundResources, createBackgroundModels, createJobs } from '../background.ts'
import type { TenantConnection } from '../db/connection.ts'
import type { Announcements } from '../jobs/announcements.ts'
import { createFairSlots } from '../jobs/fair-slots.ts'
import type { JobHandler } from '../jobs/job-message.ts'
import { type JobName, jobNames } from '../jobs/job-names.ts'
import { type Poll, startPoll } from '../jobs/poll.ts'
import { bindLog } from '../kernel/log.ts'
import { createInstruments } from '../telemetry/instruments.ts'
import {
  createTenantDatabases,
  createTenantDirectory,
  describeServer,
  isMigrated,
  listStoppedTenants,
  migrateTenant,
  type TenantLocation,
  type TenantRow,
  walkTenants,
} from '../tenants/index.ts'
import { homeTenant } from './home-tenant.ts'
import { createServerWalks } from './server-walks.ts'

export type TenantJobsResources = Omit<BackgroundResources, 'db' | 'heartbeatDb' | 'announcements'> & {
  connection: TenantConnection
  /** Connections that no batch uses, for the leases of runs. */
  heartbeats?: TenantConnection
  announcements: Announcements
  sliceMs?: number
  maxWatched?: number
}

type Jobs = ReturnType<typeof createJobs>
type Tenant = TenantLocation & { id: string }
type Reference = Tenant['reference']
type Opened = { id: string; jobs: Jobs; server: string | null; usedAt: number }

const walkEveryMs = 30_000
/** A tenant that is suspended or dropped is noticed within this time. */
const stopEveryMs = 1_000
/** How long the texts of a tenant are watched after there was something to do. */
const watchedMs = 60_000
const mostWatched = 100
const idleMs = 600_000
const usualSliceMs = 30_000

/**
 * The work of a worker for tenants. A message only says what may be due; the fair slots decide whose work comes next. A walk
 * over all tenants finds what no message announced, at the cost of three index probes for each, and takes half of the time
 * at most.
 */
export function createTenantJobs({
  connection,
  heartbeats = connection,
  announcements,
  ...resources
}: TenantJobsResources) {
  const { config, clock, ids, log, instruments = createInstruments() } = resources
  const { sliceMs = usualSliceMs, maxWatched = mostWatched } = resources
  const models = createBackgroundModels({ config, clock, instruments })
  const secrets = { key: config.tenantKey, ...config.records }
  const databases = createTenantDatabases({ connection, ids, ...secrets })
  const heartbeatDatabases = createTenantDatabases({ connection: heartbeats, ids, ...secrets })
  const directory = createTenantDirectory({ db: connection.db })
  const opened = new Map<Reference, Opened>()
  const watched = new Map<Reference, { watch: Poll; until: number }>()
  const slots = createFairSlots({
    slots: jobNames.length,
    sliceMs,
    onError: ({ tenant, name }, error) =>
      log.warn('a job failed', { tenant: opened.get(tenant || undefined)?.id, job: name, err: error }),
  })

  function provideJobs(location: Tenant): Jobs {
    const { id, reference, server_url: server } = location
    const known = opened.get(reference)
    const jobs =
      known?.server === server
        ? known.jobs
        : createJobs({
            ...resources,
            log: bindLog(log, { tenant: id }),
            instruments,
            models,
            announcements: announcements.ofTenant(reference),
            db: databases.open(location),
            heartbeatDb: heartbeatDatabases.open(location),
          })
    // The tenant was moved.
    if (known && known.jobs !== jobs) void stopWatching((each) => each === reference)
    opened.set(reference, { id, jobs, server, usedAt: performance.now() })
    return jobs
  }

  function submit(location: Tenant, name: JobName): void {
    const work = (signal: AbortSignal) => provideJobs(location).handle(name, signal, () => {})
    slots.submit({ tenant: location.reference ?? '', name, work })
  }

  const handle: JobHandler = async (job, _signal, _showRun, message) => {
    const reference = message?.tenant
    const location = reference === undefined ? homeTenant : await findActive(reference)
    if (!location) return { refused: 1 }
    if (message?.reason === 'writes') startWatching(location)
    else submit(location, job)
    return { accepted: 1 }
  }

  async function findActive(reference: string): Promise<Tenant | undefined> {
    const row = await directory.findByReference(reference)
    return row && isReady(row) ? row : undefined
  }

  function startWatching(location: Tenant): void {
    const { reference } = location
    const until = performance.now() + watchedMs
    const known = watched.get(reference)
    const [first] = watched.keys()
    // A hundred tenants that write all the time must not keep others from their turn.
    if (!known && watched.size >= maxWatched) void stopWatching((each) => each === first)
    watched.set(reference, { watch: known?.watch ?? provideJobs(location).watchTexts(), until })
  }

  async function stopWatching(isDue: (reference: Reference, until: number) => boolean): Promise<void> {
    const ended = [...watched].filter(([reference, { until }]) => isDue(reference, until))
    for (const [reference] of ended) watched.delete(reference)
    await Promise.all(ended.map(([, { watch }]) => watch.stop()))
  }

  async function walk(signal: AbortSignal): Promise<void> {
    await visit(homeTenant)
    const elsewhere: TenantRow[] = []
    for await (const row of walkTenants(connection.db)) {
      if (signal.aborted) return
      if (row.status !== 'active') continue
      if (row.server_url !== null || !isReady(row)) elsewhere.push(row)
      else await visitAndPause(row, signal)
    }
    for (const [server, rows] of Map.groupBy(elsewhere, describeServer)) servers.start(server, rows, signal)
    await stopWatching((_, until) => until <= performance.now())
    closeIdle(performance.now() - idleMs)
  }

  function closeIdle(latest: number): void {
    for (const [reference, { usedAt }] of opened)
      if (usedAt < latest && !watched.has(reference)) opened.delete(reference)
  }

  /** Pauses for as long as the visit took, so that a walk over many tenants takes at most half of the time. */
  async function visitAndPause(location: Tenant, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now()
    await visit(location)
    await sleep(performance.now() - startedAt, undefined, { signal })
  }

  /** A tenant that fails must not hide the others. */
  async function visit(location: Tenant | TenantRow): Promise<void> {
    try {
      if ('migration' in location && !isMigrated(location)) await catchUp(location)
      const jobs = provideJobs(location)
      for (const name of await jobs.findDue()) submit(location, name)
      if (await jobs.hasTexts()) startWatching(location)
    } catch (error) {
      // A server that is away is reported only once.
      if (databases.isAway(location)) return
      log.warn('the check of a tenant for due work failed', { tenant: location.id, err: error })
    }
  }

  /** The role migrate failed for it, or an older process has created it. */
  async function catchUp(row: TenantRow): Promise<void> {
    await migrateTenant({ db: connection.db, clock, databases }, row)
    log.info('a tenant is up to date', { tenant: row.id })
  }

  const servers = createServerWalks({ log, databases, visit: visitAndPause, stopWatching })

  async function stopInactive(): Promise<void> {
    const stopped = new Set<Reference>(await listStoppedTenants(connection.db))
    for (const reference of stopped) if (reference !== undefined) slots.stopTenant(reference)
    await stopWatching((reference) => stopped.has(reference))
  }

  function startPolls(): Poll {
    const onError = (error: unknown) => log.warn('the walk over all tenants failed', { err: error })
    const polls = [
      startPoll({ everyMs: walkEveryMs, look: walk, onError }),
      startPoll({ everyMs: stopEveryMs, look: stopInactive, onError }),
    ]
    return {
      stop: async () => {
        await Promise.all([...polls.map((poll) => poll.stop()), slots.close()])
        await servers.ended()
        await stopWatching(() => true)
      },
    }
  }

  return { handle, startPolls }
}

function isReady(row: TenantRow): boolean {
  return row.status === 'active' && isMigrated(row)
}
