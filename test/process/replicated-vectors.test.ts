import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { administer } from '../support/postgres-processes.ts'
import { until } from '../support/processes.ts'
import {
  administerProduct,
  canReplicate,
  productUrl,
  startReplicatedServers,
} from '../support/replicated-servers.ts'
import { launchRole } from '../support/roles.ts'
import { type Call, startService } from '../support/started-service.ts'

type Server = { url: string }

const needed = canReplicate ? '' : ' (left out: no PostgreSQL 15 is installed)'
/** More than a process needs to keep them in memory. */
const stored = 1_200

const fact = (subject: string, predicate: string, object: string) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject, predicate, object },
})

/** Texts that have no word of the question and are near it. Each next one is nearer than all of the store. */
const near = ['Doctor', 'Surgeon', 'Nurse', 'Dentist', 'Therapist'] as const
const question = 'physician'

async function read<Row>(server: Server, statement: string): Promise<Row[]> {
  const { rows } = await administerProduct(server, statement)
  return rows as Row[]
}

async function count(server: Server, statement: string): Promise<number> {
  const [row] = await read<{ n: number }>(server, `select count(*)::int as n from ${statement}`)
  return row?.n ?? 0
}

async function fill(call: Call, primary: Server): Promise<void> {
  const lines = Array.from({ length: stored }, (_, at) =>
    JSON.stringify(fact(`crate ${at}`, 'holds', `${at * 7} bolts`)),
  )
  const { status } = await call('/v1/import', { body: lines.join('\n'), type: 'application/x-ndjson' })
  expect(status).toBe(200)
  await until('every record to have a vector', async () => (await count(primary, 'embeddings')) === stored)
}

/** Stores a record, waits for its vector, and returns a position after it. */
async function store(call: Call, primary: Server, name: string) {
  const { body, status } = await call('/v1/records', { body: fact(name, 'works', 'daily') })
  expect(status, JSON.stringify(body)).toBe(201)
  await until(`a vector of ${name}`, async () => {
    return (await count(primary, `embeddings where record_id = '${body.id}'`)) === 1
  })
  const { position } = await call('/v1/records', { body: fact(`after ${name}`, 'is', 'stored') })
  return { id: body.id as string, position }
}

async function ask(call: Call, position?: string | null): Promise<string[]> {
  const { body, status } = await call('/v1/retrieve', {
    body: { task_descriptor: question },
    ...(position === undefined ? {} : { position }),
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.root_ids
}

/** Whether the last statement of a connection was the check of vectors that were found in memory. */
async function wasChecked(server: Server): Promise<boolean> {
  return (
    (await count(
      server,
      `pg_stat_activity where query like '%near as materialized%' and pid <> pg_backend_pid()`,
    )) > 0
  )
}

async function untilInMemory(call: Call, ...servers: Server[]): Promise<void> {
  await until('vectors in memory', async () => {
    await ask(call)
    return (await Promise.all(servers.map(wasChecked))).includes(true)
  })
}

async function untilReplayed(primary: Server, replica: Server): Promise<void> {
  const [now] = await read<{ lsn: string }>(primary, 'select pg_current_wal_flush_lsn()::text as lsn')
  await until('the replica to replay', async () => {
    const [row] = await read<{ has: boolean }>(
      replica,
      `select pg_last_wal_replay_lsn() >= '${now?.lsn}' as has`,
    )
    return row?.has
  })
}

it.skipIf(!canReplicate)(
  `vectors in memory are those of every server, however far each replica is behind${needed}`,
  async () => {
    const { primary, addReplica } = await startReplicatedServers()
    const slow = await addReplica('slow')
    const other = await addReplica('other')
    const variables = {
      DATABASE_URL: productUrl(primary),
      DATABASE_REPLICA_URL: `${productUrl(slow)},${productUrl(other)}`,
      MEMBRANE_REPLICA_LAG: '1h',
    }
    const { call, metric, untilUsed } = await startService(variables)
    launchRole('worker', variables)
    await untilUsed(1, true)
    await untilUsed(2, true)
    await fill(call, primary)
    await untilInMemory(call, slow, other)

    // As soon as a replica has the vector, a caller who demands it gets it from there.
    const first = await store(call, primary, near[0])
    await untilReplayed(primary, slow)
    await untilReplayed(primary, other)
    const answered = () => metric('membrane_replica_statements{replica="1"}')
    const before = await answered()
    for (let turn = 0; turn < 4; turn++) expect(await ask(call, first.position)).toContain(first.id)
    expect(await answered()).toBeGreaterThan(before)

    // One of the two replicas knows the vector, and the other does not.
    await administerProduct(slow, 'select pg_wal_replay_pause()')
    const second = await store(call, primary, near[1])
    await untilReplayed(primary, other)
    const found = await Promise.all(Array.from({ length: 40 }, () => ask(call)))
    expect(new Set(found.map((ids) => ids.includes(second.id)))).toEqual(new Set([true, false]))
    expect(await ask(call, second.position)).toContain(second.id)

    // The replica that lacks the vector answers while the primary still checks it.
    await other.kill()
    await untilUsed(2, false)
    const third = await store(call, primary, near[2])
    expect(await ask(call, third.position)).toContain(third.id)
    const holder = new pg.Client({ connectionString: productUrl(primary) })
    await holder.connect()
    await holder.query('begin')
    await holder.query('lock table embeddings in access exclusive mode')
    const late = ask(call, third.position)
    await until('a check that waits', async () => (await count(primary, 'pg_locks where not granted')) > 0)
    expect(await ask(call)).not.toContain(third.id)
    await holder.query('rollback')
    await holder.end()
    expect(await late).toContain(third.id)
    expect(await ask(call, third.position)).toContain(third.id)
    expect(await ask(call)).not.toContain(third.id)
    await administerProduct(slow, 'select pg_wal_replay_resume()')
    await untilReplayed(primary, slow)
    expect(await ask(call)).toContain(third.id)
    expect(await ask(call, third.position)).toContain(third.id)

    // Killed and started again, the replica answers with what came meanwhile.
    await slow.kill()
    await untilUsed(1, false)
    const fourth = await store(call, primary, near[3])
    expect(await ask(call)).toContain(fourth.id)
    await slow.start()
    await untilUsed(1, true)
    await untilReplayed(primary, slow)
    expect(await ask(call)).toEqual(expect.arrayContaining([first.id, second.id, third.id, fourth.id]))
  },
)

/** A port that leads to one server, and later to another, as the name of the primary does in a failover. */
async function openPassage(to: Server) {
  let port = Number(new URL(to.url).port)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = createConnection(port, '127.0.0.1')
    for (const [socket, opposite] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => opposite.destroy())
      socket.on('close', () => {
        open.delete(socket)
        opposite.destroy()
      })
      socket.pipe(opposite)
    }
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const url = `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`
  return {
    url,
    lead: (next: Server) => {
      port = Number(new URL(next.url).port)
      for (const socket of open) socket.destroy()
    },
  }
}

it.skipIf(!canReplicate)(
  `vectors that a new primary stores are found, although it counts its transactions from where the old one was lost${needed}`,
  async () => {
    const { primary, addReplica } = await startReplicatedServers()
    const successor = await addReplica('successor')
    const passage = await openPassage(primary)
    const variables = {
      DATABASE_URL: productUrl(passage),
      DATABASE_REPLICA_URL: productUrl(successor),
      // Otherwise the service itself asks the successor before the first question does.
      MEMBRANE_REGRET_SAMPLE: '0',
    }
    const { call, untilUsed, untilReady } = await startService(variables)
    launchRole('worker', variables)
    await untilUsed(1, true)
    await fill(call, primary)
    // Where vectors find nothing, the newest records are answered.
    const first = await store(call, primary, near[0])
    await untilReplayed(primary, successor)
    await untilInMemory(call, successor, primary)

    // The successor is cut off, and the memory learns of transactions that it never gets.
    await administer(successor.url, `alter system set primary_conninfo = ''`, 'select pg_reload_conf()')
    await until(
      'the successor to be cut off',
      async () => (await count(primary, 'pg_stat_replication')) === 0,
    )
    await administer(
      productUrl(primary),
      'do $$ begin for n in 1..500 loop perform pg_current_xact_id(); commit; end loop; end $$',
    )
    const lost = await store(call, primary, near[1])
    expect(await ask(call, lost.position)).toContain(lost.id)

    await primary.kill()
    await administer(successor.url, 'select pg_promote()')
    passage.lead(successor)
    await until('the API to write again', async () => {
      const { status } = await call('/v1/records', { body: fact('after', 'the', 'failover') })
      return status === 201
    })
    await untilReady()
    await untilUsed(1, false)
    const kept = await store(call, successor, near[2])
    const found = await ask(call, kept.position)
    expect(found).toEqual(expect.arrayContaining([first.id, kept.id]))
    expect(found).not.toContain(lost.id)
    expect(await ask(call)).toContain(kept.id)
  },
)
