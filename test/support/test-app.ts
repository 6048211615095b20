import type { AddressInfo } from 'node:net'
import { type Config, readConfig } from '../../src/config/config.ts'
import type { Variables } from '../../src/config/joint-problems.ts'
import type { Database } from '../../src/db/connection.ts'
import { createPositions } from '../../src/db/positions/positions.ts'
import type { Permission } from '../../src/domain/trust/caller.ts'
import { createApp, type RegisterRoutes } from '../../src/http/app.ts'
import { jsonLinesType } from '../../src/http/bodies/streaming.ts'
import type { Checks } from '../../src/http/health.ts'
import type { OpenQueueAdapter } from '../../src/http/queue-board.ts'
import type { Announcements } from '../../src/jobs/queue/announcements.ts'
import { createIds, type Ids } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createServing } from '../../src/roles/serving.ts'
import type { Services } from '../../src/services.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { createContractCheck, type Document, splitLines } from './http/openapi-contract.ts'
import { openTestDatabase } from './servers/database.ts'
import { silentAnnouncements } from './workers/silent-announcements.ts'

export type Resources = { db: Database; clock: TestClock; ids: Ids; services: Services; config: Config }

type Describing = Pick<Awaited<ReturnType<typeof createApp>>, 'swagger'>

type Options = {
  /** Routes in addition to those of the product. */
  routes?: (resources: Resources) => readonly RegisterRoutes[]
  variables?: Variables
  checks?: Checks
  advisories?: Checks
  isStopping?: () => boolean
  showQueue?: (resources: { databaseUrl: string }) => OpenQueueAdapter
  announcements?: Announcements
  maxEventLoopDelayMs?: number
}

export type RequestOptions = {
  body?: unknown
  headers?: Record<string, string>
  /** The secret of a key; false sends no Authorization header. The root key by default. */
  key?: string | false
}
export type Answer = { status: number; headers: Headers; text: string; body: unknown }

/** No limit, and nothing in the background that a test does not ask for. */
const quiet = { MEMBRANE_RATE_LIMIT: '0', MEMBRANE_REGRET_SAMPLE: '0' }

/** Each file has a database of its own: deriving its key at full cost took a fortieth of the time of all tests. */
export const quickKeyCost = { N: 2, r: 8, p: 1 }

/** The root key of every test API. */
export const rootKey = 'root-key-of-the-tests'

/** Starts the API on a socket over a new database. Every answer is checked against the OpenAPI document. */
export async function startTestApp({ variables = {}, ...options }: Options = {}) {
  const { routes = () => [] } = options
  const config = readConfig({ MEMBRANE_API_KEY: rootKey, ...quiet, ...variables })
  const { statementTimeoutMs, lockTimeoutMs } = config.database
  const database = await openTestDatabase({ tenants: config.tenants, statementTimeoutMs, lockTimeoutMs })
  const clock = createTestClock()
  const ids = createIds(clock)
  const log: string[] = []
  const write = (line: string) => void log.push(line)
  const logger = createLogger({ level: 'info', clock, write })
  const serving = createServing({
    config,
    connection: database,
    clock,
    ids,
    log: logger,
    announcements: options.announcements ?? (config.tenants ? silentAnnouncements : undefined),
  })
  const { services, tenancy } = serving
  const app = await createApp({
    config,
    pool: database.pool,
    positions: createPositions(database.pool, quickKeyCost),
    clock,
    ids,
    authenticate: serving.authenticate,
    tenancy,
    maxEventLoopDelayMs: options.maxEventLoopDelayMs,
    checks: options.checks ?? {},
    advisories: {
      ...(config.tenants ? { tenant_servers: database.servers.check } : {}),
      ...options.advisories,
    },
    ...(options.isStopping ? { isStopping: options.isStopping } : {}),
    log: { level: 'info', stream: { write } },
    onRequestCompleted: services.instruments.observeAnswer,
    openQueueAdapter: options.showQueue?.({ databaseUrl: database.url }),
    routes: [...serving.routes, ...routes({ db: database.db, clock, ids, services, config })],
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const verify = openContractCheck(app, {
    hasTenants: config.tenants,
    isProduct: options.routes === undefined,
  })

  async function request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const response = await fetch(`${url}${path}`, describeRequest(method, options))
    const text = await response.text()
    const mediaType = (response.headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
    verify({ method, path: path.split('?', 1)[0] ?? '', status: response.status, mediaType, text })
    const body = mediaType.endsWith('json') && text !== '' ? parseBody(mediaType, text) : undefined
    return { status: response.status, headers: response.headers, text, body }
  }

  /** Issues a key with the given permissions and other fields of `POST /v1/keys`. */
  async function issueKey(permissions: readonly Permission[], more: object = {}): Promise<string> {
    const { body, status, text } = await request('POST', '/v1/keys', {
      body: { name: 'a key of the tests', permissions, ...more },
    })
    if (status !== 201) throw new Error(`no key was made: ${text}`)
    return (body as { secret: string }).secret
  }

  async function close(): Promise<void> {
    await app.close()
    await serving.finish()
    await database.close()
  }

  return { app, url, clock, ids, database, db: database.db, services, log, config, request, issueKey, close }
}

type ContractCheck = ReturnType<typeof createContractCheck>
type Documented = { hasTenants: boolean; isProduct: boolean }

/** Shared by the apps of a worker, because describing and compiling a document takes as long as starting an app. */
const contractChecks = new Map<boolean, ContractCheck>()

/** The document depends on the routes, and on nothing else. */
function openContractCheck(app: Describing, { hasTenants, isProduct }: Documented): ContractCheck {
  const known = isProduct ? contractChecks.get(hasTenants) : undefined
  const check = known ?? createContractCheck(app.swagger() as unknown as Document)
  if (isProduct) contractChecks.set(hasTenants, check)
  return check
}

/** Parses an answer; an answer in lines becomes a list. */
function parseBody(mediaType: string, text: string): unknown {
  return mediaType === jsonLinesType
    ? splitLines(text).map((line): unknown => JSON.parse(line))
    : JSON.parse(text)
}

export type TestApp = Awaited<ReturnType<typeof startTestApp>>

function describeRequest(method: string, { body, headers, key = rootKey }: RequestOptions): RequestInit {
  return {
    method,
    redirect: 'manual',
    headers: {
      ...(key === false ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
  }
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}
