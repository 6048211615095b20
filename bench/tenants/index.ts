import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import type { BenchContext } from '../bench-context.ts'
import { assert, median } from '../load.ts'
import { type Running, startProduct } from '../processes.ts'
import type { Result } from '../result.ts'
import { createTenant, environment, post } from './tenant-calls.ts'

/** A thousand takes about five minutes: `TENANTS=1000 npm run bench -- tenants`. */
const tenants = Number(process.env['TENANTS'] ?? 100)
const rounds = 300

/** Measures many small tenants: to create one, to start with all of them, to serve all in turn, and what each costs. */
export async function benchTenants({ withDatabase, note }: BenchContext): Promise<Result[]> {
  return withDatabase(async ({ url, pool }) => {
    const variables = { ...environment, DATABASE_URL: url }
    const one = await withoutTenants(url)
    note(`creating ${tenants} tenants`)
    const first = await startProduct('api', variables)
    const creating = await timeEach(tenants, (nth) => createTenant(first, `tenant-${nth}`))
    const keys = creating.results.map(({ key }) => key)
    await first.stop()
    note('starting with all of them')
    const started = performance.now()
    const migration = await startProduct('all', { ...variables })
    const readyMs = performance.now() - started
    await migration.stop()
    const api = await startProduct('api', variables)
    try {
      return [
        row(`creating a tenant, of ${tenants}`, median(creating.times), 'ms'),
        row(`start to ready (npm start) with ${tenants} tenants`, readyMs, 'ms'),
        ...(await measureRequests({ api, keys, pool, one })),
      ]
    } finally {
      await api.stop()
    }
  })
}

type Served = { api: Running; keys: readonly string[]; pool: pg.Pool; one: Times }
type Times = { create: number; retrieve: number }

async function measureRequests({ api, keys, pool, one }: Served): Promise<Result[]> {
  const before = await readMemory(api.pid)
  const same = await measure(api, () => keys[0] ?? '')
  let turn = 0
  const inTurn = await measure(api, () => keys[turn++ % keys.length] ?? '')
  const after = await readMemory(api.pid)
  const served = Math.min(keys.length, rounds * 2)
  return [
    compare('creating a record with tenants, one tenant', same.create, one.create),
    compare('creating a record, each in another tenant', inTurn.create, one.create),
    compare('retrieving with tenants, one tenant', same.retrieve, one.retrieve),
    compare('retrieving, each in another tenant', inTurn.retrieve, one.retrieve),
    row(`memory of the API for each of ${served} tenants served`, (after - before) / served, 'KB'),
    row('memory of the largest connection, on the server', await readLargestConnection(pool), 'KB'),
  ]
}

async function readLargestConnection(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where application_name = 'membrane api' and datname = current_database()`,
  )
  return Math.max(0, ...(await Promise.all(rows.map(({ pid }) => readMemory(pid)))))
}

/** The same requests to a service without tenants, on the same database. */
async function withoutTenants(url: string): Promise<Times> {
  const api = await startProduct('api', { MEMBRANE_API_KEY: environment.MEMBRANE_API_KEY, DATABASE_URL: url })
  try {
    return await measure(api, () => environment.MEMBRANE_API_KEY)
  } finally {
    await api.stop()
  }
}

/** The median times in milliseconds, after a warm-up. */
async function measure({ url }: Running, nextKey: () => string): Promise<Times> {
  const record = {
    type: 'semantic',
    payload: { kind: 'semantic', subject: 's', predicate: 'p' },
    scope: 'team',
  }
  const send = async (path: string, body: object, status: number) => {
    const answer = await post(url, path, nextKey(), body)
    assert(answer.status === status, `${path} was answered ${answer.status}`)
  }
  const create = (nth: number) =>
    send('/v1/records', { ...record, payload: { ...record.payload, object: `harbour ${nth}` } }, 201)
  const retrieve = () => send('/v1/retrieve', { task_descriptor: 'which harbour', scopes: ['team'] }, 200)
  await timeEach(50, create)
  await timeEach(50, retrieve)
  return {
    create: median((await timeEach(rounds, create)).times),
    retrieve: median((await timeEach(rounds, retrieve)).times),
  }
}

async function timeEach<T>(count: number, work: (nth: number) => Promise<T>) {
  const times: number[] = []
  const results: T[] = []
  for (let nth = 0; nth < count; nth++) {
    const started = performance.now()
    results.push(await work(nth))
    times.push(performance.now() - started)
  }
  return { times, results }
}

/** The memory of a process on this machine that is its own, in KB. */
async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
}

function row(work: string, value: number, unit: string): Result {
  return { work, measured: { value, unit }, verified: 'every answer had the expected status' }
}

function compare(work: string, value: number, without: number): Result {
  return {
    ...row(work, value, 'ms'),
    limit: { value: without, unit: 'ms', of: 'the same without tenants' },
    ratio: value / without,
  }
}
