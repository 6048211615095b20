import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { processPatienceMs, type Running, until } from '../support/processes/processes.ts'
import { launchRole, openMigratedDatabase, parseLogLines } from '../support/processes/roles.ts'
import { findFreePort } from '../support/servers/postgres-processes.ts'

type Options = { body?: unknown; headers?: Record<string, string>; method?: string; key?: string }
const rootKey = 'root-key-of-the-processes'

function createCaller(url: string) {
  return async (path: string, { body, headers, method, key = rootKey }: Options = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: `Bearer ${key}`,
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = (response.headers.get('content-type') ?? '').includes('json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text ? JSON.parse(text) : {},
    }
  }
}

const fact = (object: string) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 'user', predicate: `prefers ${object}`, object },
})

/**
 * Asks over a connection of its own: an open one stays with the process that took it. A connection that was dealt to a
 * process in the moment of its death is never answered.
 */
async function visit(url: string): Promise<void> {
  const request = get(`${url}/v1/keys`, {
    agent: false,
    signal: AbortSignal.timeout(2_000),
    headers: { authorization: `Bearer ${rootKey}` },
  })
  const [response] = await once(request, 'response')
  response.resume()
  await once(response, 'end')
}

async function startApi(variables: Record<string, string>) {
  const port = await findFreePort()
  const running = launchRole('api', { ...variables, PORT: String(port), MEMBRANE_API_KEY: rootKey })
  const url = `http://127.0.0.1:${port}`
  const call = createCaller(url)
  const isReady = () =>
    call('/readyz').then(
      ({ status }) => status === 200 || undefined,
      () => undefined,
    )
  await until('the API to be ready', isReady, processPatienceMs)
  return { running, call, url }
}

const pidsOf = (running: Running) =>
  new Set(parseLogLines(running).flatMap((line) => (line['msg'] === 'request' ? [Number(line['pid'])] : [])))

it('the processes of one API share its port, its rate limit and its metrics, and one that is killed is replaced', async () => {
  const limit = 20
  const { running, call, url } = await startApi({
    DATABASE_URL: (await openMigratedDatabase()).url,
    MEMBRANE_API_PROCESSES: '2',
    MEMBRANE_RATE_LIMIT: String(limit),
  })
  const haveAnswered = (count: number) => async () => {
    await visit(url).catch(() => undefined)
    return pidsOf(running).size === count || undefined
  }
  await until('both processes to have answered', haveAnswered(2), processPatienceMs)
  // At most two windows of a second begin during the burst.
  const started = performance.now()
  const burst = await Promise.all(Array.from({ length: 4 * limit }, () => call('/v1/keys')))
  const windows = Math.ceil((performance.now() - started) / 1_000) + 1
  const served = burst.filter(({ status }) => status === 200).length
  expect(served).toBeLessThanOrEqual(windows * limit)
  expect(burst.some(({ status }) => status === 429)).toBe(true)

  const series = await until('metrics of both', async () => {
    const { text } = await call('/metrics')
    return ['1', '2'].every((place) => text.includes(`process="${place}"`)) ? text : undefined
  })
  expect(series.match(/^# TYPE membrane_http_request_duration_seconds /gm)).toHaveLength(1)
  expect(series).toContain('membrane_store_reached{part="database"} 1')

  const [victim = 0] = pidsOf(running)
  process.kill(victim, 'SIGKILL')
  await until('another process in its place', haveAnswered(3), processPatienceMs)
  running.kill('SIGTERM')
  expect(await running.ended, running.output()).toEqual({ code: 0, signal: null })
})

it('a port that is taken ends all processes with a message', async () => {
  const url = (await openMigratedDatabase()).url
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const running = launchRole('api', { DATABASE_URL: url, PORT: String(port), MEMBRANE_API_PROCESSES: '2' })
  expect((await running.ended).code).not.toBe(0)
  expect(running.output()).toContain('another program listens')
})

it('two APIs on one database behave as one', async () => {
  const url = (await openMigratedDatabase()).url
  const variables = { DATABASE_URL: url }
  const [one, other] = await Promise.all([startApi(variables), startApi(variables)])

  const headers = { 'idempotency-key': 'turn-1' }
  const first = await one.call('/v1/records', { body: fact('Go'), headers })
  const again = await other.call('/v1/records', { body: fact('Go'), headers })
  expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true'])
  expect(again.body).toEqual(first.body)
  const seen = await other.call(`/v1/records/${first.body.id}`)
  expect(seen.body.payload).toMatchObject({ object: 'Go' })
  // Ten requests with one key race at both processes, and one of them takes effect.
  const race = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      (index % 2 ? one : other).call('/v1/records', {
        body: fact('Zig'),
        headers: { 'idempotency-key': 'race' },
      }),
    ),
  )
  const ids = race.flatMap(({ status, body }) => (status === 201 ? [body.id] : []))
  expect(new Set(ids).size).toBe(1)

  const issued = await one.call('/v1/keys', { body: { name: 'k', permissions: ['records:read'] } })
  const key = issued.body.secret
  expect((await other.call('/v1/records', { key })).status).toBe(200)
  expect((await one.call(`/v1/keys/${issued.body.id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await one.call('/v1/records', { key })).status).toBe(401)
  await until('the other to refuse the key', async () =>
    (await other.call('/v1/records', { key })).status === 401 ? true : undefined,
  )

  const run = await one.call('/v1/maintenance/runs', { body: { job: 'decay' } })
  const events = other.call(`/v1/maintenance/runs/${run.body.id}/events`)
  launchRole('worker', variables)
  expect((await events).text).toContain('event: finished')
})
