import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Instruments = ReturnType<typeof createInstruments>

type CompletedRequest = { method: string; route: string; status: number; seconds: number; isReplay: boolean }
type ModelCall = { outcome: string; seconds: number; promptTokens: number; completionTokens: number }
/** The price of a million tokens, in any currency. */
type Prices = { promptPrice: number; completionPrice: number }
type Replicas = {
  describe(): readonly { number: number; absence?: string | undefined; lagMs: number; answered: number }[]
}
type TenantServers = {
  describe(): readonly { isAway: boolean; busy: number; idle: number; waiting: number }[]
}
type Pool = {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
  readonly options: { max: number }
}

const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const modelBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Routes that write text which can then be searched. */
const writes = new Set([
  'POST /v1/records',
  'POST /v1/records/batch',
  'POST /v1/capture',
  'POST /v1/remember',
  'POST /v1/conversations/:conversation_id/messages',
])

/**
 * Counters of this process since its start; Prometheus adds up those of several processes. Labels are known to the
 * code: route templates, names of jobs, uses of models. Nothing that a client writes becomes a label.
 */
export function createInstruments() {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'membrane_http_request_duration_seconds',
    help: 'Duration of the requests of this process, until the last byte of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestBuckets,
    registers,
  })
  const readable = new Histogram({
    name: 'membrane_write_to_text_seconds',
    help: 'Time from the arrival of a write until its records are committed and can be searched by words.',
    buckets: requestBuckets,
    registers,
  })
  const models = createModelInstruments(registry)

  function observeAnswer({ method, route, status, seconds, isReplay }: CompletedRequest): void {
    requests.observe({ method, route, status: String(status) }, seconds)
    if (status < 300 && !isReplay && writes.has(`${method} ${route}`)) readable.observe(seconds)
  }

  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    /** The series as data, for a process that renders those of several. */
    collect: (): Promise<object[]> => registry.getMetricsAsJSON(),
    /** Renders the series of several processes as those of one. */
    renderTogether: (collected: object[][]): Promise<string> =>
      AggregatorRegistry.aggregate(collected).metrics(),
    /** Tells the series of one of several processes from those of the others. */
    labelProcess: (process: string) => registry.setDefaultLabels({ process }),
    observeAnswer,
    observeModel: models.observe,
    watchPool: (pool: Pool, name: string) => watchPool(registry, pool, name),
    watchReplicas: (replicas: Replicas) => watchReplicas(registry, replicas),
    watchServers: (servers: TenantServers) => watchServers(registry, servers),
    /**
     * Metrics of the Node.js process. Call it once, because it listens to the garbage collector and the event loop.
     */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  }
}

function createModelInstruments(registry: Registry) {
  const registers = [registry]
  const labelNames = ['use'] as const
  const calls = new Histogram({
    name: 'membrane_model_request_duration_seconds',
    help: 'Duration of the requests of this process to a model, by outcome.',
    labelNames: ['use', 'outcome'],
    buckets: modelBuckets,
    registers,
  })
  const tokens = new Counter({
    name: 'membrane_model_tokens_total',
    help: 'Tokens that models counted for this process.',
    labelNames: ['use', 'kind'],
    registers,
  })
  const cost = new Counter({
    name: 'membrane_model_cost_total',
    help: 'Cost of these tokens by the configured prices, in their currency.',
    labelNames,
    registers,
  })
  return {
    observe:
      (use: string, { promptPrice, completionPrice }: Prices = { promptPrice: 0, completionPrice: 0 }) =>
      ({ outcome, seconds, promptTokens, completionTokens }: ModelCall): void => {
        calls.observe({ use, outcome }, seconds)
        tokens.inc({ use, kind: 'prompt' }, promptTokens)
        tokens.inc({ use, kind: 'completion' }, completionTokens)
        cost.inc({ use }, (promptTokens * promptPrice + completionTokens * completionPrice) / 1e6)
      },
  }
}

function watchReplicas(registry: Registry, replicas: Replicas): void {
  const registers = [registry]
  const labelNames = ['replica']
  const used = new Gauge({
    name: 'membrane_replica_used',
    help: 'Whether this process reads from the replica, by its place in DATABASE_REPLICA_URL.',
    labelNames,
    registers,
    collect: () => {
      for (const { number, absence } of replicas.describe())
        used.set({ replica: number }, Number(absence === undefined))
    },
  })
  const lag = new Gauge({
    name: 'membrane_replica_lag_seconds',
    help: 'How long the replica has missed something that the primary had; 0 when it misses nothing.',
    labelNames,
    registers,
    collect: () => {
      for (const { number, lagMs } of replicas.describe()) lag.set({ replica: number }, lagMs / 1_000)
    },
  })
  const answered = new Gauge({
    name: 'membrane_replica_statements',
    help: 'Statements that the replica has answered for this process since its start.',
    labelNames,
    registers,
    collect: () => {
      for (const { number, answered: count } of replicas.describe()) answered.set({ replica: number }, count)
    },
  })
}

/** Sums over all servers: their number is not known to the code. */
function watchServers(registry: Registry, servers: TenantServers): void {
  const registers = [registry]
  const sum = (count: (each: ReturnType<TenantServers['describe']>[number]) => number) =>
    servers.describe().reduce((total, each) => total + count(each), 0)
  const known = new Gauge({
    name: 'membrane_tenant_servers',
    help: 'Servers of tenants that this process has used in the last ten minutes, and those that it cannot use.',
    labelNames: ['state'],
    registers,
    collect: () => {
      known.set(
        { state: 'used' },
        sum(({ isAway }) => Number(!isAway)),
      )
      known.set(
        { state: 'away' },
        sum(({ isAway }) => Number(isAway)),
      )
    },
  })
  const connections = new Gauge({
    name: 'membrane_tenant_server_connections',
    help: 'Connections of this process to servers of tenants, and requests and jobs that wait for one.',
    labelNames: ['state'],
    registers,
    collect: () => {
      connections.set(
        { state: 'idle' },
        sum(({ idle }) => idle),
      )
      connections.set(
        { state: 'busy' },
        sum(({ busy }) => busy),
      )
      connections.set(
        { state: 'waiting' },
        sum(({ waiting }) => waiting),
      )
    },
  })
}

function watchPool(registry: Registry, pool: Pool, name: string): void {
  const registers = [registry]
  const connections = new Gauge({
    name: 'membrane_pool_connections',
    help: 'Database connections of this process.',
    labelNames: ['pool', 'state'],
    registers,
    collect: () => {
      connections.set({ pool: name, state: 'idle' }, pool.idleCount)
      connections.set({ pool: name, state: 'busy' }, pool.totalCount - pool.idleCount)
    },
  })
  const most = new Gauge({
    name: 'membrane_pool_connections_max',
    help: 'The most database connections that this process may open.',
    labelNames: ['pool'],
    registers,
  })
  most.set({ pool: name }, pool.options.max)
  const waiting = new Gauge({
    name: 'membrane_pool_waiting',
    help: 'Requests and jobs of this process that wait for a connection.',
    labelNames: ['pool'],
    registers,
    collect: () => {
      waiting.set({ pool: name }, pool.waitingCount)
    },
  })
}
