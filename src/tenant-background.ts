import { setTimeout as sleep } from 'node:timers/promises'
import { type BackgroundResources, createBackgroundModels, createJobs } from './background.ts'
import type { Connection } from './db/connection.ts'
import { newestMigration } from './db/migrator.ts'
import { schemaOf } from './db/schema-names.ts'
import type { Announcements } from './jobs/announcements.ts'
import { createFairSlots } from './jobs/fair-slots.ts'
import type { JobHandler } from './jobs/job-message.ts'
import { type JobName, jobNames } from './jobs/job-names.ts'
import { type Poll, startPoll } from './jobs/poll.ts'
import { createInstruments } from './telemetry/instruments.ts'
import { createTenantDirectory, listStoppedTenants, walkTenants } from './tenants/index.ts'

type Resources = Omit<BackgroundResources, 'db' | 'announcements'> & {
  connection: Pick<Connection, 'db' | 'databaseOf'>
  announcements: Announcements
  sliceMs?: number
}

type Jobs = ReturnType<typeof createJobs>
/** Undefined for what belongs to no tenant. */
type Reference = string | undefined

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
  const { config, clock, log, instruments = createInstruments() } = resources
  const models = createBackgroundModels({ config, clock, instruments })
  const directory = createTenantDirectory({ db: connection.db })
  const opened = new Map<Reference, { jobs: Jobs; usedAt: number }>()
  const awake = new Map<Reference, { watch: Poll; until: number }>()
  const slots = createFairSlots({
    ...{ slots: jobNames.length, sliceMs },
    onError: ({ tenant, name }, error) => log.warn('a job failed', { tenant, job: name, err: error }),
  })

  function jobsOf(reference: Reference): Jobs {
    const db = () => (reference === undefined ? connection.db : connection.databaseOf(schemaOf(reference)))
    const jobs = opened.get(reference)?.jobs ?? createJobs({ ...resourcesOf(reference), db: db() })
    opened.set(reference, { jobs, usedAt: performance.now() })
    return jobs
  }

  function resourcesOf(reference: Reference) {
    const announcing = reference === undefined ? announcements : announcements.ofTenant(reference)
    return { ...resources, instruments, models, announcements: announcing }
  }

  function submit(reference: Reference, name: JobName): void {
    const work = (signal: AbortSignal) => jobsOf(reference).handle(name, signal, () => {})
    slots.submit({ tenant: reference ?? '', name, work })
  }

  const handle: JobHandler = async (job, _signal, _showRun, message) => {
    const reference = message?.tenant
    if (reference !== undefined && !(await isActive(reference))) return { refused: 1 }
    if (message?.reason === 'writes') wake(reference)
    else submit(reference, job)
    return { accepted: 1 }
  }

  async function isActive(reference: string): Promise<boolean> {
    const row = await directory.findByReference(reference)
    return row?.status === 'active' && row.migration >= newestMigration
  }

  function wake(reference: Reference): void {
    const until = performance.now() + awakeMs
    const known = awake.get(reference)
    if (known) known.until = until
    else if (awake.size < mostAwake) awake.set(reference, { watch: jobsOf(reference).watchTexts(), until })
  }

  async function putToSleep(isDue: (reference: Reference, until: number) => boolean): Promise<void> {
    const tired = [...awake].filter(([reference, { until }]) => isDue(reference, until))
    for (const [reference] of tired) awake.delete(reference)
    await Promise.all(tired.map(([, { watch }]) => watch.stop()))
  }

  async function walk(signal: AbortSignal): Promise<void> {
    await visit(undefined)
    for await (const { reference, status, migration } of walkTenants(connection.db)) {
      if (signal.aborted) return
      if (status !== 'active' || migration < newestMigration) continue
      const startedAt = performance.now()
      await visit(reference)
      await sleep(performance.now() - startedAt, undefined, { signal })
    }
    await putToSleep((_, until) => until <= performance.now())
    const oldest = performance.now() - idleMs
    for (const [reference, { usedAt }] of opened)
      if (usedAt < oldest && !awake.has(reference)) opened.delete(reference)
  }

  /** A tenant that fails must not hide the others. */
  async function visit(reference: Reference): Promise<void> {
    try {
      const jobs = jobsOf(reference)
      for (const name of await jobs.findDue()) submit(reference, name)
      if (await jobs.hasTexts()) wake(reference)
    } catch (error) {
      log.warn('a look at a tenant failed', { tenant: reference ?? '', err: error })
    }
  }

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
        await putToSleep(() => true)
      },
    }
  }

  return { handle, startPolls }
}
