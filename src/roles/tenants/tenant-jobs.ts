import { type BackgroundResources, createBackgroundModels, createJobs } from '../../background.ts'
import type { TenantConnection } from '../../db/connection.ts'
import type { RequestTenant } from '../../http/auth/tenancy.ts'
import { type JobName, jobNames } from '../../jobs/job-names.ts'
import { joinPolls, type Poll, startPoll } from '../../jobs/poll.ts'
import type { Announcements } from '../../jobs/queue/announcements.ts'
import { createFairSlots } from '../../jobs/queue/fair-slots.ts'
import type { JobHandler } from '../../jobs/queue/job-message.ts'
import { bindLog } from '../../kernel/log.ts'
import { createInstruments } from '../../telemetry/instruments.ts'
import { createTenantDatabases, createTenantDirectory, listStoppedTenants } from '../../tenants/index.ts'
import { createDueWorkWalk, isReady } from './due-work-walk.ts'
import { homeTenant } from './home-tenant.ts'
import { createOpenedTenants, type Reference } from './opened-tenants.ts'
import { createTextWatches } from './text-watches.ts'

export type TenantJobsResources = Omit<BackgroundResources, 'db' | 'heartbeatDb' | 'announcements'> & {
  connection: TenantConnection
  /** Connections that no batch uses, for the leases of runs. */
  heartbeats?: TenantConnection
  announcements: Announcements
  sliceMs?: number
  maxWatched?: number
}

type Jobs = ReturnType<typeof createJobs>

const walkEveryMs = 30_000
/** A tenant that is suspended or dropped is noticed within this time. */
const stopEveryMs = 1_000
const usualSliceMs = 30_000

/**
 * The work of a worker for tenants. A message only says what may be due; the fair slots decide whose work comes next. A walk over all
 * tenants finds what no message announced.
 */
export function createTenantJobs(resources: TenantJobsResources) {
  const { connection, clock, log, sliceMs = usualSliceMs, maxWatched } = resources
  const { databases, openJobs } = createJobsOpening(resources)
  const directory = createTenantDirectory({ db: connection.db })
  const opened = createOpenedTenants<Jobs>({
    open: openJobs,
    onMoved: ({ reference }) => void watches.stop((each) => each === reference),
  })
  const watches = createTextWatches({
    watchTexts: (tenant) => opened.provide(tenant).watchTexts(),
    maxWatched,
  })
  const walk = createDueWorkWalk({ db: connection.db, clock, log, databases, watches, look: submitDue })
  const slots = createFairSlots({
    slots: jobNames.length,
    sliceMs,
    onError: ({ tenant, name }, error) =>
      log.warn('a job failed', { tenant: opened.findId(tenant || undefined), job: name, err: error }),
  })

  function submit(tenant: RequestTenant, name: JobName): void {
    const work = (signal: AbortSignal) => opened.provide(tenant).handle(name, signal, () => {})
    slots.submit({ tenant: tenant.reference ?? '', name, work })
  }

  async function submitDue(tenant: RequestTenant): Promise<void> {
    const jobs = opened.provide(tenant)
    for (const name of await jobs.findDue()) submit(tenant, name)
    if (await jobs.hasTexts()) watches.start(tenant)
  }

  const handle: JobHandler = async (job, _signal, _showRun, message) => {
    const reference = message?.tenant
    const tenant = reference === undefined ? homeTenant : await findActive(reference)
    if (!tenant) return { refused: 1 }
    if (message?.reason === 'writes') watches.start(tenant)
    else submit(tenant, job)
    return { accepted: 1 }
  }

  async function findActive(reference: string): Promise<RequestTenant | undefined> {
    const row = await directory.findByReference(reference)
    return row && isReady(row) ? row : undefined
  }

  async function look(signal: AbortSignal): Promise<void> {
    await walk.visitAll(signal)
    await watches.stopExpired()
    opened.remove((reference, isIdle) => isIdle && !watches.has(reference))
  }

  async function stopInactive(): Promise<void> {
    const stopped = new Set<Reference>(await listStoppedTenants(connection.db))
    for (const reference of stopped) if (reference !== undefined) slots.stopTenant(reference)
    await watches.stop((reference) => stopped.has(reference))
  }

  function startPolls(): Poll {
    const onError = (error: unknown) => log.warn('the walk over all tenants failed', { err: error })
    const polls = joinPolls([
      startPoll({ everyMs: walkEveryMs, look, onError }),
      startPoll({ everyMs: stopEveryMs, look: stopInactive, onError }),
    ])
    return {
      stop: async () => {
        await Promise.all([polls.stop(), slots.close()])
        await walk.ended()
        await watches.stop(() => true)
      },
    }
  }

  return { handle, startPolls }
}

/** The databases of the tenants, and how the jobs of one of them are created. */
function createJobsOpening({
  connection,
  heartbeats = connection,
  announcements,
  ...resources
}: TenantJobsResources) {
  const { config, clock, ids, log, instruments = createInstruments() } = resources
  const models = createBackgroundModels({ config, clock, instruments })
  const secrets = { key: config.tenantKey, ...config.records }
  const databases = createTenantDatabases({ connection, ids, ...secrets })
  const heartbeatDatabases = createTenantDatabases({ connection: heartbeats, ids, ...secrets })

  function openJobs(tenant: RequestTenant): Jobs {
    return createJobs({
      ...resources,
      log: bindLog(log, { tenant: tenant.id }),
      instruments,
      models,
      announcements: announcements.ofTenant(tenant.reference),
      db: databases.open(tenant),
      heartbeatDb: heartbeatDatabases.open(tenant),
    })
  }

  return { databases, openJobs }
}
