import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type CallOptions, startApi } from '../support/apps/started-service.ts'
import { until } from '../support/processes/processes.ts'
import { parseLogLines } from '../support/processes/roles.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import {
  administerProduct,
  canReplicate,
  productUrl,
  type ReplicatedServer,
  startReplicatedServers,
} from '../support/servers/replicated-servers.ts'

const name = canReplicate ? 'two servers' : 'two servers (left out: no PostgreSQL 15 is installed)'

const fact = (object: string, scope = 'shop') => ({
  type: 'semantic',
  scope,
  payload: { kind: 'semantic', subject: 'user', predicate: `prefers ${object}`, object },
})

/** The last test kills the primary, and the one before it makes a primary of the replica. */
let primary: ReplicatedServer
let replica: ReplicatedServer
let addReplica: (name: string) => Promise<ReplicatedServer>
const ends: (() => Promise<void>)[] = []
beforeAll(async () => {
  if (!canReplicate) return
  const servers = await startReplicatedServers((end) => void ends.push(end))
  ;({ primary, addReplica } = servers)
  replica = await addReplica('replica')
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

it.skipIf(!canReplicate)(
  `of ${name}, the replica that lags hides no change from a poll of several pages or from an export that is continued`,
  async () => {
    const { call, untilUsed } = await startApi({
      DATABASE_URL: productUrl(primary),
      DATABASE_REPLICA_URL: productUrl(replica),
      MEMBRANE_REPLICA_LAG: '60s',
    })
    await untilUsed(1, true)
    const scope = 'pages'
    const ids: string[] = []
    const write = async (object: string) => {
      ids.push((await call('/v1/records', { body: fact(object, scope) })).body.id)
    }
    for (const object of ['Go', 'Zig', 'Rust', 'C']) await write(object)
    await until('the replica to have four', async () => {
      const { rows } = await administerProduct(
        replica,
        `select count(*)::int as n from records where scope = '${scope}'`,
      )
      return rows[0]?.n === 4
    })
    await administerProduct(replica, 'select pg_wal_replay_pause()')
    await write('Ada')
    // The replica serves what promises nothing.
    expect((await call(`/v1/records?scope=${scope}`)).body.items).toHaveLength(4)

    const changes = `/v1/records?scope=${scope}&updated_after=2020-01-01T00:00:00Z&sort=updated_at&order=asc&limit=2`
    const polled: string[] = []
    for (let path: string | undefined = changes; path; ) {
      const { body } = await call(path)
      polled.push(...body.items.map(({ id }: { id: string }) => id))
      path = body.next_cursor && `${changes}&cursor=${body.next_cursor}`
    }
    expect(polled).toEqual(ids)

    for (const filter of ['', '&updated_after=2020-01-01T00:00:00Z']) {
      const { body } = await call(`/v1/export?scope=${scope}&after=${ids[0]}${filter}`)
      const exported: string[] = body.trim().split('\n')
      expect(exported.map((line) => JSON.parse(line).id)).toEqual(ids.slice(1))
    }
    await administerProduct(replica, 'select pg_wal_replay_resume()')
  },
)

it.skipIf(!canReplicate)(
  `of ${name} and another replica, one answers all statements of a request`,
  async () => {
    const other = await addReplica('second')
    onTestFinished(() => other.kill())
    const { call, metric, untilUsed } = await startApi({
      DATABASE_URL: productUrl(primary),
      DATABASE_REPLICA_URL: `${productUrl(replica)},${productUrl(other)}`,
      MEMBRANE_REPLICA_LAG: '60s',
    })
    await untilUsed(1, true)
    await untilUsed(2, true)
    const countAnswers = () =>
      Promise.all([1, 2].map((number) => metric(`membrane_replica_statements{replica="${number}"}`)))
    await countAnswers()
    const task_descriptor = 'Which user prefers Go? Who wrote Rust, and when was Zig made?'
    for (let time = 0; time < 4; time++) {
      const before = await countAnswers()
      await call('/v1/retrieve', { body: { task_descriptor, record_access: false } })
      const after = await countAnswers()
      const [least = 0, most = 0] = after.map((count, at) => count - (before[at] ?? 0)).sort((a, b) => a - b)
      expect([least, most > 1]).toEqual([0, true])
    }
  },
)

it.skipIf(!canReplicate)(
  `of ${name}, the replica answers reads, and a caller reads its own writes through lag, loss and return`,
  async () => {
    const variables = {
      DATABASE_URL: productUrl(primary),
      DATABASE_REPLICA_URL: productUrl(replica),
      MEMBRANE_REPLICA_LAG: '2s',
    }
    const { running, call, metric, untilUsed } = await startApi(variables)
    await untilUsed(1, true)
    const answered = () => metric('membrane_replica_statements{replica="1"}')

    // A replica answers lists, searches, contexts and figures.
    const first = await call('/v1/records', { body: fact('Go') })
    expect(first.status).toBe(201)
    const reads: [string, CallOptions][] = [
      [`/v1/records/${first.body.id}`, {}],
      ['/v1/records', {}],
      ['/v1/retrieve', { body: { task_descriptor: 'what does the user prefer' } }],
      ['/v1/context', { body: { task_descriptor: 'what does the user prefer', max_tokens: 200 } }],
      ['/v1/maintenance/runs', {}],
      ['/v1/metrics', {}],
    ]
    for (const [path, options] of reads) {
      const before = await answered()
      const { status, body } = await call(path, { ...options, position: first.position })
      expect({ path, status }, JSON.stringify(body)).toEqual({ path, status: 200 })
      expect(await answered(), path).toBeGreaterThan(before)
    }

    // What was served is counted, although a replica served it.
    await until('the access to be counted', async () => {
      const { rows } = await administerProduct(primary, 'select count(*)::int as n from access_log')
      return rows[0]?.n > 0
    })

    // With replay paused: a read without a position is of the past, one with it of the present.
    await administerProduct(replica, 'select pg_wal_replay_pause()')
    const second = await call('/v1/records', { body: fact('Zig') })
    const path = `/v1/records/${second.body.id}`
    expect((await call(path)).status).toBe(404)
    expect((await call(path, { position: second.position })).status).toBe(200)
    const found = await call('/v1/retrieve', { body: { task_descriptor: 'Zig' }, position: second.position })
    expect(found.body.root_ids).toContain(second.body.id)
    // A poll for changes never skips what the replica lacks.
    const polled = await call('/v1/records?updated_after=2020-01-01T00:00:00Z')
    expect(polled.body.items.map(({ id }: { id: string }) => id)).toContain(second.body.id)

    // Behind for longer than allowed, it is left out; replayed, it comes back.
    await untilUsed(1, false)
    expect((await call(path)).status).toBe(200)
    const state = await call('/readyz')
    expect(state.status).toBe(200)
    expect(state.body.parts.replica_1).toMatchObject({
      ready: false,
      reason: expect.stringContaining('behind'),
    })
    await administerProduct(replica, 'select pg_wal_replay_resume()')
    await untilUsed(1, true)
    expect((await call('/readyz')).body.parts.replica_1).toEqual({ ready: true })

    // Killed under load, no read fails; started again, it comes back.
    let isOver = false
    const statuses: number[] = []
    const readers = [1, 2, 3, 4].map(async () => {
      while (!isOver) statuses.push((await call(path, { position: second.position })).status)
    })
    await replica.kill()
    await untilUsed(1, false)
    const third = await call('/v1/records', { body: fact('Rust') })
    expect((await call(`/v1/records/${third.body.id}`)).status).toBe(200)
    await replica.start()
    await untilUsed(1, true)
    isOver = true
    await Promise.all(readers)
    expect([...new Set(statuses)]).toEqual([200])
    const before = await answered()
    expect((await call(`/v1/records/${third.body.id}`, { position: third.position })).status).toBe(200)
    expect(await answered()).toBeGreaterThan(before)

    // Promoted, it is another primary: nothing is read from it, and nothing of it is believed.
    await administer(productUrl(replica), 'select pg_promote()')
    await untilUsed(1, false)
    const fourth = await call('/v1/records', { body: fact('C') })
    expect((await call(`/v1/records/${fourth.body.id}`)).status).toBe(200)

    const reasons = parseLogLines(running).flatMap((line) => ('reason' in line ? [line['reason']] : []))
    expect(reasons).toEqual(
      expect.arrayContaining(['is too far behind', 'does not answer', 'is not a standby']),
    )
    running.kill('SIGTERM')
    expect(await running.ended, running.output()).toEqual({ code: 0, signal: null })
  },
)

it.skipIf(!canReplicate)(
  `of ${name}, a position of the time before a failover is read from the new primary, and the old line of replicas not at all`,
  async () => {
    const successor = await addReplica('successor')
    const other = await addReplica('other')
    const before = await startApi({ DATABASE_URL: productUrl(primary) })
    const written = await before.call('/v1/records', { body: fact('Go') })
    await until('the successor to have it', async () => {
      const { rows } = await administerProduct(
        successor,
        `select count(*)::int as n from records where id = '${written.body.id}'`,
      )
      return rows[0]?.n === 1
    })
    before.running.kill('SIGTERM')
    await before.running.ended
    await primary.kill()
    await administer(productUrl(successor), 'select pg_promote()')
    const after = await startApi({
      DATABASE_URL: productUrl(successor),
      DATABASE_REPLICA_URL: `${productUrl(other)},${productUrl(successor)}`,
    })
    const path = `/v1/records/${written.body.id}`
    expect((await after.call(path, { position: written.position })).status).toBe(200)
    expect((await after.call('/readyz')).body.parts).toMatchObject({
      replica_1: { ready: false, reason: expect.stringContaining('timeline') },
      replica_2: { ready: false, reason: expect.stringContaining('not a standby') },
    })
    const { body, position } = await after.call('/v1/records', { body: fact('Zig') })
    expect((await after.call(`/v1/records/${body.id}`, { position })).status).toBe(200)
  },
)
