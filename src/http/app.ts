import Fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyRequest } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Tracer } from '../kernel/span.ts'
import { type Authenticate, requireDeclaredAccess } from './auth.ts'
import { bodyLimit, readJsonBodies } from './body.ts'
import { answerBrokenRequest } from './client-errors.ts'
import { completeRoutes } from './default-responses.ts'
import { type Checks, healthRoutes } from './health.ts'
import { requireOnce } from './idempotency.ts'
import { collectPaths, rejectUnknownMethods } from './methods.ts'
import { secureHeaders, serveDocs } from './openapi/docs.ts'
import { describeApi } from './openapi/openapi.ts'
import { handleErrors, sendProblem } from './problems.ts'
import { type OpenQueueAdapter, serveBoard } from './queue-board.ts'
import { guardRequests } from './request-guard.ts'
import { createRequestLog, type Log, logOptions } from './request-log.ts'
import { getRouteTemplate, readRequestId, traceRequests } from './request-tracing.ts'
import { compileValidator } from './validation/validation.ts'

/** A room's routes with the services they need. */
export type Room = (app: FastifyInstance) => Promise<void>

export function room<Options extends object>(plugin: FastifyPluginAsync<Options>, options: Options): Room {
  return async (app) => void (await app.register<Options>(plugin, options))
}

export type AppOptions = {
  config: Pick<Config, 'http' | 'auth' | 'redisUrl'> & { database: Pick<Config['database'], 'poolQueue'> }
  pool: { readonly waitingCount: number }
  clock: Clock
  ids: Ids
  authenticate: Authenticate
  /** What must work before requests are sent here, each by the name that /readyz gives it. */
  checks: Checks
  /** Told by /readyz too, but requests can be served without. */
  advisories?: Checks
  /** True from the first sign of shutdown on, before the server stops to listen. */
  isStopping?: () => boolean
  log: Log
  rooms: readonly Room[]
  tracer?: Tracer | undefined
  /** What the board of the queue shows; without it there is no board. */
  openQueueAdapter?: OpenQueueAdapter | undefined
  /** Told of each request that was answered, or that its client gave up. */
  onRequestCompleted?: ((answer: CompletedRequest) => void) | undefined
}

/** The route is its template. */
export type CompletedRequest = {
  method: string
  route: string
  status: number
  seconds: number
  isReplay: boolean
}

/** The whole API, which does not listen: a test may inject into it, `main` gives it a port. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app = createServer(options)
  const paths = collectPaths(app)
  handleErrors(app)
  requireDeclaredAccess(app)
  completeRoutes(app)
  await describeApi(app, packageJson.version)
  await secureHeaders(app)
  traceRequests(app, options.tracer)
  guardRequests(app, guardOptions(options))
  logRequests(app)
  reportRequests(app, options.onRequestCompleted)
  readJsonBodies(app)
  requireOnce(app)
  await serveDocs(app)
  await serveBoard(app, options.openQueueAdapter)
  await app.register(healthRoutes, {
    checks: options.checks,
    advisories: options.advisories ?? {},
    isStopping: options.isStopping ?? (() => false),
  })
  for (const register of options.rooms) await register(app)
  rejectUnknownMethods(app, paths)
  return app
}

function guardOptions({ config, pool, authenticate, clock }: AppOptions) {
  return {
    ...config.auth,
    authenticate,
    pool,
    clock,
    max: config.http.rateLimit,
    redisUrl: config.redisUrl,
    maxEventLoopDelayMs: config.http.maxEventLoopDelayMs,
    maxPoolQueue: config.database.poolQueue,
    requiresIfMatch: config.http.requireIfMatch,
  }
}

/**
 * Nothing came and nothing was taken: an answer that nobody reads would be kept for as long as its client likes. What
 * was begun to be taken is given as much again, by Node.
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
      // How late a timeout may be noticed.
      connectionsCheckingInterval: limitTimeout(5_000, requestTimeoutMs),
      maxHeaderSize: 16 * 1024,
      // Node would answer with a bare 400; ours is a problem.
      requireHostHeader: false,
    },
    // A predicate of 128 characters, four bytes each, every byte percent-encoded.
    routerOptions: { maxParamLength: 1_536 },
    // Who is already connected is served to the end; /readyz sends the others elsewhere.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      sendProblem(error, request as FastifyRequest, reply)
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, ids.random()),
  })
  app.server.maxConnections = 10_000
  app.server.maxHeadersCount = 100
  app.setValidatorCompiler(compileValidator)
  // A compiled serializer drops what its schema does not name; the tests check answers against the document.
  app.setSerializerCompiler(() => JSON.stringify)
  return app
}

/** A timeout of 0 is none, and leaves the others as they are. */
function limitTimeout(milliseconds: number, timeoutMs: number): number {
  return timeoutMs === 0 ? milliseconds : Math.min(milliseconds, timeoutMs)
}

/** The finished request in one line: which route, never which URL, as a query string is content. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: getRouteTemplate(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.caller ? { principal: request.caller.principal } : {}),
      },
      'request',
    )
  })
}

function reportRequests(app: FastifyInstance, onAnswered: AppOptions['onRequestCompleted']): void {
  if (!onAnswered) return
  app.addHook('onResponse', async (request, reply) => {
    onAnswered({
      method: request.method,
      route: getRouteTemplate(request),
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
      isReplay: reply.getHeader('idempotency-replayed') !== undefined,
    })
  })
}
