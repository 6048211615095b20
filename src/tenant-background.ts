import { setTimeout as sleep } from 'node:timers/promises'
import { type BackgroundResources, createBackgroundModels, createJobs } from './background.ts'
import type { TenantConnection } from './db/connection.ts'
import { newestMigration } from './db/migrator.ts'
import type { Announcements } from './jobs/announcements.ts'
import { createFairSlots } from './jobs/fair-slots.ts'
import type { JobHandler } from './jobs/job-message.ts'
import { type JobName, jobNames } from './jobs/job-names.ts'
import { type Poll, startPoll } from './jobs/poll.ts'
import { createInstruments } from './telemetry/instruments.ts'
import {
  createTenantDirectory,
  createTenantPlaces,
  describeServer,
  listStoppedTenants,
  migrateThere,
  type TenantRow,
  walkTenants,
} from './tenants/index.ts'

type Resources = Omit<BackgroundResources, 'db' | 'announcements'> & {
  connection: TenantConnection
  announcements: Announcements
  sliceMs?: number
}

type Jobs = ReturnType<typeof createJobs>
/** Undefined for what belongs to no tenant. */
type Reference = string | undefined
type Placed = { reference: Reference; server_url: string | null }
type Opened = { jobs: Jobs; server: string | null; usedAt: number }

const home: Placed = { reference: undefined, server_url: null }

const walkEveryMs = 30_000
/** A tenant that is suspended or dropped is noticed within this time. */
const stopEveryMs = 1_000
/** How long the texts of a tenant are looked after once there was something to do. */
const awakeMs = 60_000
const mostAwake = 100
const idleMs = 600_000
const usualSliceMs = 30_000

/** What a worker does: with tenants or without. */
export function createBackground({ connection, ...resources }: Resources) {
  if (resources.config.tenants) return createTenantJobs({ connection, ...resources })
  return createJobs({ ...resources, db: connection.db })
}

/**
 * What a worker does with tenants. A message only says what may be due; the fair slots decide whose work comes next. A walk
 * over all tenants finds what no message announced, at the cost of three index probes for each, and takes half of the time
 * at most.
 */
export function createTenantJobs({
  connection,
  announcements,
  sliceMs = usualSliceMs,
  ...resources
}: Resources) {
  const { config, clock, ids, log, instruments = createInstruments() } = resources
  const models = createBackgroundModels({ config, clock, instruments })
  const places = createTenantPlaces({ connection, ids, key: config.tenantKey, ...config.records })
  const directory = createTenantDirectory({ db: connection.db })
  const opened = new Map<Reference, Opened>()
  const awake = new Map<Reference, { watch: Poll; until: number }>()
  const slots = createFairSlots({
    slots: jobNames.length,
    sliceMs,
    onError: ({ tenant, name }, error) => log.warn('a job failed', { tenant, job: name, err: error }),
  })

  function provideJobs(placed: Placed): Jobs {
    const { reference, server_url: server } = placed
    const known = opened.get(reference)
    const isCurrent = known?.server === server
    // The tenant was moved.
    if (known && !isCurrent) void putToSleep((each) => each === reference)
    const jobs = isCurrent ? known.jobs : openJobs(placed)
    opened.set(reference, { jobs, server, usedAt: performance.now() })
    return jobs
  }

  function openJobs({ reference, server_url }: Placed): Jobs {
    const db = reference === undefined ? connection.db : places.databaseOf({ reference, server_url })
    return createJobs({ ...findResources(reference), db })
  }

  function findResources(reference: Reference) {
    const announcing = reference === undefined ? announcements : announcements.ofTenant(reference)
    return { ...resources, instruments, models, announcements: announcing }
  }

  function submit(placed: Placed, name: JobName): void {
    const work = (signal: AbortSignal) => provideJobs(placed).handle(name, signal, () => {})
    slots.submit({ tenant: placed.reference ?? '', name, work })
  }

  const handle: JobHandler = async (job, _signal, _showRun, message) => {
    const reference = message?.tenant
    const placed = reference === undefined ? home : await findActive(reference)
    if (!placed) return { refused: 1 }
    if (message?.reason === 'writes') wake(placed)
    else submit(placed, job)
    return { accepted: 1 }
  }

  async function findActive(reference: string): Promise<Placed | undefined> {
    const row = await directory.findByReference(reference)
    return row && isReady(row) ? row : undefined
  }

  function wake(placed: Placed): void {
    const { reference } = placed
    const until = performance.now() + awakeMs
    const known = awake.get(reference)
    if (known) known.until = until
    else if (awake.size < mostAwake) awake.set(reference, { watch: provideJobs(placed).watchTexts(), until })
  }

  async function putToSleep(isDue: (reference: Reference, until: number) => boolean): Promise<void> {
    const tired = [...awake].filter(([reference, { until }]) => isDue(reference, until))
    for (const [reference] of tired) awake.delete(reference)
    await Promise.all(tired.map(([, { watch }]) => watch.stop()))
  }

  async function walk(signal: AbortSignal): Promise<void> {
    await visit(home)
    const elsewhere: TenantRow[] = []
    for await (const row of walkTenants(connection.db)) {
      if (signal.aborted) return
      if (row.status === 'active' && row.server_url !== null) elsewhere.push(row)
      else if (isReady(row)) await visitAtLeisure(row, signal)
    }
    for (const [server, rows] of Map.groupBy(elsewhere, describeServer)) servers.start(server, rows, signal)
    await putToSleep((_, until) => until <= performance.now())
    closeIdle(performance.now() - idleMs)
  }

  function closeIdle(latest: number): void {
    for (const [reference, { usedAt }] of opened)
      if (usedAt < latest && !awake.has(reference)) opened.delete(reference)
  }

  async function visitAtLeisure(placed: Placed, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now()
    await visit(placed)
    await sleep(performance.now() - startedAt, undefined, { signal })
  }

  /** A tenant that fails must not hide the others. */
  async function visit(placed: Placed | TenantRow): Promise<void> {
    try {
      if ('migration' in placed && placed.migration < newestMigration) await catchUp(placed)
      const jobs = provideJobs(placed)
      for (const name of await jobs.findDue()) submit(placed, name)
      if (await jobs.hasTexts()) wake(placed)
    } catch (error) {
      const { reference, server_url } = placed
      // What is said of a server that is away is said once.
      if (reference !== undefined && places.isAway({ reference, server_url })) return
      log.warn('a look at a tenant failed', { tenant: reference ?? '', err: error })
    }
  }

  /** Its server was away when the role migrate ran. */
  async function catchUp(row: TenantRow): Promise<void> {
    await migrateThere({ db: connection.db, clock, places }, row)
    log.info('a tenant on a server of its own is up to date', { tenant: row.id })
  }

  const servers = createServerWalks({ log, places, visit: visitAtLeisure, putToSleep })

  async function stopInactive(): Promise<void> {
    const stopped = new Set<Reference>(await listStoppedTenants(connection.db))
    for (const reference of stopped) if (reference !== undefined) slots.stopTenant(reference)
    await putToSleep((reference) => stopped.has(reference))
  }

  function startPolls(): Poll {
    const onError = (error: unknown) => log.warn('the look at all tenants failed', { err: error })
    const polls = [
      startPoll({ everyMs: walkEveryMs, look: walk, onError }),
      startPoll({ everyMs: stopEveryMs, look: stopInactive, onError }),
    ]
    return {
      stop: async () => {
        await Promise.all([...polls.map((poll) => poll.stop()), slots.close()])
        await servers.ended()
        await putToSleep(() => true)
      },
    }
  }

  return { handle, startPolls }
}

type ServerWalk = {
  log: BackgroundResources['log']
  places: ReturnType<typeof createTenantPlaces>
  visit(row: TenantRow, signal: AbortSignal): Promise<void>
  putToSleep(isDue: (reference: Reference) => boolean): Promise<void>
}

/** Visits the tenants of each server beside the others, because one that is slow or away must not delay them. */
function createServerWalks({ log, places, visit, putToSleep }: ServerWalk) {
  const walking = new Map<string, Promise<void>>()

  async function walk(rows: readonly TenantRow[], signal: AbortSignal): Promise<void> {
    for (const row of rows) {
      if (signal.aborted) return
      await visit(row, signal)
      if (!places.isAway(row)) continue
      // The others would fail too. The next walk tries again.
      const references = new Set<Reference>(rows.map(({ reference }) => reference))
      return putToSleep((reference) => references.has(reference))
    }
  }

  return {
    /** Does nothing while the last walk over this server is not at its end. */
    start: (server: string, rows: readonly TenantRow[], signal: AbortSignal): void => {
      if (walking.has(server)) return
      const ended = walk(rows, signal)
        .catch((error) => {
          if (!signal.aborted) log.warn('the look at a server of tenants failed', { err: error })
        })
        .finally(() => walking.delete(server))
      walking.set(server, ended)
    },
    ended: () => Promise.all(walking.values()),
  }
}

function isReady({ status, migration }: TenantRow): boolean {
  return status === 'active' && migration >= newestMigration
}
