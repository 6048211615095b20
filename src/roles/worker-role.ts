import { createJobs } from '../background.ts'
import type { Connection, Database } from '../db/connection.ts'
import type { Checks } from '../http/health.ts'
import { maxClockDifferenceMs } from '../kernel/clock.ts'
import { drain, serve } from '../process/listen.ts'
import type { Service } from '../process/run-until-stopped.ts'
import { startWorking } from '../process/worker-process.ts'
import type { RoleContext } from './role-context.ts'
import { addClose, type Instruments, openTelemetry } from './role-telemetry.ts'
import { createTenantJobs, type TenantJobsResources } from './tenants/tenant-jobs.ts'

/** Runs the jobs. */
export async function startWorker(context: RoleContext): Promise<Service> {
  const { instruments, tracer, onStatement, close } = await openTelemetry(context, 'worker')
  const { config } = context
  const service = await startWorking({
    ...context,
    onStatement,
    createJobs: (connection, announcements, heartbeats) =>
      createBackground({
        ...context,
        connection,
        heartbeats,
        instruments,
        tracer,
        announcements,
        maxClockLeadMs: maxClockDifferenceMs,
      }),
    listen: async ({ pool, servers }, checks, { db }) => {
      instruments.watchPool(pool, 'jobs')
      if (config.tenants) instruments.watchServers(servers)
      if (config.metrics.workerPort === undefined) return async () => {}
      const app = await createWorkerApp(context, { db, pool, checks, instruments })
      await serve(app, {
        host: config.http.host,
        port: config.metrics.workerPort,
        variable: 'MEMBRANE_METRICS_PORT',
      })
      return () => drain(app)
    },
  })
  return addClose(service, close)
}

/** The work of a worker, with tenants or without. */
function createBackground({ connection, heartbeats = connection, ...resources }: TenantJobsResources) {
  if (resources.config.tenants) return createTenantJobs({ connection, heartbeats, ...resources })
  return createJobs({ ...resources, db: connection.db, heartbeatDb: heartbeats.db })
}

type WorkerAppResources = Pick<Connection, 'pool'> & {
  /** Where keys are looked up: the connections of the jobs may all be in use when an operator must see what they do. */
  db: Database
  checks: Checks
  instruments: Instruments
}

/** The HTTP server of a worker, for metrics and health only. */
async function createWorkerApp(
  { config, clock, ids }: RoleContext,
  { db, pool, checks, instruments }: WorkerAppResources,
) {
  const [{ createApp, bindRoutes }, { createKeysService }, { scrapeRoutes }] = await Promise.all([
    import('../http/app.ts'),
    import('../keys/index.ts'),
    import('../metrics/index.ts'),
  ])
  const { authenticate } = createKeysService({ db, clock, ids })
  return createApp({
    config,
    pool,
    clock,
    ids,
    authenticate,
    checks,
    log: { level: config.logLevel },
    routes: [bindRoutes(scrapeRoutes, { sources: [instruments], isPublic: config.metrics.isPublic })],
  })
}
