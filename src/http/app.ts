import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { computeMaxWaiting } from '../db/pool.ts'
import type { Positions } from '../db/positions/positions.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Tracer } from '../kernel/span.ts'
import { type Authenticate, requireDeclaredAccess } from './auth/auth.ts'
import type { RequestTenant, Tenancy } from './auth/tenancy.ts'
import { bodyLimit, readJsonBodies } from './bodies/json-bodies.ts'
import { drainBeforeAnswer, drainUnreadBodies } from './bodies/request-drain.ts'
import { onCompleted } from './completed-requests.ts'
import { type Checks, healthRoutes } from './health.ts'
import { requireOnce } from './idempotency/idempotency.ts'
import type { CountRequest } from './limits/rate-counter.ts'
import { secureHeaders, serveDocs } from './openapi/docs.ts'
import { describeApi } from './openapi/openapi.ts'
import { answerBrokenRequest } from './problems/client-errors.ts'
import { completeRoutes } from './problems/default-responses.ts'
import { collectPaths, rejectUnknownMethods } from './problems/method-not-allowed.ts'
import { handleErrors, sendProblem } from './problems/problems.ts'
import { type OpenQueueAdapter, serveBoard } from './queue-board.ts'
import { carryPositions } from './read-your-writes.ts'
import { guardRequests } from './request-guard.ts'
import { createRequestLog, type Log, logOptions } from './request-log.ts'
import { getRouteTemplate, readRequestId, traceRequests } from './request-tracing.ts'
import { compileValidator } from './validation/validation.ts'

/** The routes of a room, with the services that they need. */
export type RegisterRoutes = (app: FastifyInstance) => Promise<void>

/** The same, before they get the services as options. */
export type UnboundRoutes<Options extends object> = FastifyPluginAsync<Options>

export function bindRoutes<Options extends object>(
  plugin: UnboundRoutes<Options>,
  options: Options,
): RegisterRoutes {
  return async (app) => void (await app.register<Options>(plugin, options))
}

export type AppOptions = {
  config: Pick<Config, 'http' | 'auth' | 'redisUrl'> & { database: Pick<Config['database'], 'poolSize'> }
  pool: { readonly waitingCount: number }
  /** Half a second by default. */
  maxEventLoopDelayMs?: number | undefined
  /** Without them, answers have no position. */
  positions?: Positions | undefined
  clock: Clock
  ids: Ids
  authenticate: Authenticate
  /** Without it there are no tenants. */
  tenancy?: Tenancy | undefined
  /** Counts requests for several processes of this machine. */
  countTogether?: CountRequest | undefined
  /** Parts that must work before requests are sent here, by the name that /readyz shows. */
  checks: Checks
  /** Parts that /readyz shows but that are not needed to serve requests. */
  advisories?: Checks
  /** True from the start of the shutdown, before the server stops listening. */
  isStopping?: () => boolean
  log: Log
  routes: readonly RegisterRoutes[]
  tracer?: Tracer | undefined
  /** Without it there is no board. */
  openQueueAdapter?: OpenQueueAdapter | undefined
  /** Called for each request that was answered or abandoned by its client. */
  onRequestCompleted?: ((request: CompletedRequest) => void) | undefined
}

/** `route` is the template, not the URL. */
export type CompletedRequest = {
  method: string
  route: string
  status: number
  seconds: number
  isReplay: boolean
}

/** Creates the whole API without listening: tests inject requests, `main` gives it a port. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app = createServer(options)
  const paths = collectPaths(app)
  handleErrors(app, options.checks['migrations'])
  drainUnreadBodies(app)
  requireDeclaredAccess(app)
  completeRoutes(app)
  await describeApi(app, packageJson.version)
  await secureHeaders(app)
  traceRequests(app, options.tracer)
  reportRequests(app, options.onRequestCompleted)
  guardRequests(app, guardOptions(options))
  readJsonBodies(app)
  requireOnce(app)
  carryPositions(app, ({ tenant }) => findPositions(options, tenant))
  await serveDocs(app)
  await serveBoard(app, options.openQueueAdapter)
  await app.register(healthRoutes, {
    checks: options.checks,
    advisories: options.advisories ?? {},
    isStopping: options.isStopping ?? (() => false),
  })
  for (const register of options.routes) await register(app)
  rejectUnknownMethods(app, paths)
  return app
}

/** A position belongs to one database, and a tenant can have one of its own. */
function findPositions({ positions, tenancy }: AppOptions, tenant: RequestTenant | undefined) {
  return (tenant && tenancy?.positionsOf(tenant)) ?? positions
}

function guardOptions({
  config,
  pool,
  authenticate,
  tenancy,
  clock,
  countTogether,
  maxEventLoopDelayMs,
}: AppOptions) {
  return {
    ...config.auth,
    authenticate,
    tenancy,
    pool,
    clock,
    max: config.http.rateLimit,
    redisUrl: config.redisUrl,
    countTogether,
    maxEventLoopDelayMs,
    maxWaiting: computeMaxWaiting(config.database.poolSize),
    requiresIfMatch: config.http.requireIfMatch,
    publicUrl: config.http.publicUrl,
  }
}

/**
 * A connection without any byte for this time is closed: an answer that is not read would be kept as long as the
 * client likes. Node doubles it for an answer that the client has started to read.
 */
const maxSilenceMs = 120_000

function createServer({ config, clock, ids, log }: AppOptions): FastifyInstance {
  const { requestTimeoutMs } = config.http
  const app: FastifyInstance = Fastify({
    ...logOptions(log, clock),
    genReqId: (request) => readRequestId(request) ?? ids.random(),
    childLoggerFactory: createRequestLog,
    bodyLimit,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: Math.max(maxSilenceMs, requestTimeoutMs),
    http: {
      headersTimeout: limitTimeout(15_000, requestTimeoutMs),
      // The timeouts are checked at this interval, so they can be late by as much.
      connectionsCheckingInterval: limitTimeout(5_000, requestTimeoutMs),
      maxHeaderSize: 16 * 1024,
      // Node would answer a bare 400; ours is a problem document.
      requireHostHeader: false,
    },
    // The id of a conversation has up to 256 characters of four bytes, each percent-encoded as three.
    routerOptions: { maxParamLength: 3_072 },
    // Fastify's own compilers take long to load. A compiled serializer drops fields that its schema does not name; the
    // tests check answers against the document instead.
    schemaController: {
      compilersFactory: {
        // Its type knows only the validators of Fastify.
        buildValidator: () => compileValidator as never,
        buildSerializer: () => () => JSON.stringify,
      },
    },
    // Connected clients are served until the end; /readyz sends new ones elsewhere.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      void answerUnroutable(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, ids.random()),
  })
  app.server.maxConnections = 10_000
  app.server.maxHeadersCount = 100
  // A client that sends its whole request and then half-closes its connection still gets the answer. The types of Node
  // do not list this property.
  Object.assign(app.server, { httpAllowHalfOpen: true })
  return app
}

/** Fastify runs no hooks for a path that it cannot read. */
async function answerUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await drainBeforeAnswer(request, reply)
  reply.header('x-request-id', request.id)
  await sendProblem(error, request, reply)
}

/** A timeout of 0 is no timeout and does not limit the others. */
function limitTimeout(milliseconds: number, timeoutMs: number): number {
  return timeoutMs === 0 ? milliseconds : Math.min(milliseconds, timeoutMs)
}

/** Logs each request in one line with its route, never its URL: a query string is content. */
function reportRequests(app: FastifyInstance, onRequestCompleted: AppOptions['onRequestCompleted']): void {
  onCompleted(app, (request, reply, status) => {
    const { method, caller, tenant } = request
    const route = getRouteTemplate(request)
    const { elapsedTime } = reply
    request.log.info(
      {
        method,
        route,
        status,
        ms: Math.round(elapsedTime * 10) / 10,
        ...(caller ? { principal: caller.principal } : {}),
        ...(tenant ? { tenant: tenant.id } : {}),
      },
      'request',
    )
    const isReplay = reply.getHeader('idempotency-replayed') !== undefined
    onRequestCompleted?.({ method, route, status, seconds: elapsedTime / 1_000, isReplay })
  })
}
