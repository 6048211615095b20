import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { type Call, startApi } from '../support/apps/started-service.ts'
import { until } from '../support/processes/processes.ts'
import { launchRole } from '../support/processes/roles.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import {
  administerProduct,
  canReplicate,
  productUrl,
  startReplicatedServers,
} from '../support/servers/replicated-servers.ts'
import { openTcpRelay } from '../support/servers/tcp-relay.ts'

type Server = { url: string }

const needed = canReplicate ? '' : ' (left out: no PostgreSQL 15 is installed)'
/** More than a process needs to keep them in memory. */
const stored = 1_050

const fact = (subject: string, predicate: string, object: string) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject, predicate, object },
})

/** Texts that have no word of the question and are near it. Each next one is nearer than all of the store. */
const near = ['Doctor', 'Surgeon', 'Nurse', 'Dentist', 'Therapist', 'Doctors'] as const
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

type Stage = Awaited<ReturnType<typeof openStage>>

/** Fills a primary with two replicas, which an API reaches by its passage and keeps in memory. */
async function openStage() {
  const { primary, addReplica } = await startReplicatedServers()
  const slow = await addReplica('slow')
  const other = await addReplica('other')
  const passage = await openTcpRelay(primary.url)
  onTestFinished(passage.close)
  const variables = {
    DATABASE_URL: productUrl(passage),
    DATABASE_REPLICA_URL: `${productUrl(slow)},${productUrl(other)}`,
    MEMBRANE_REPLICA_LAG: '1h',
    // Otherwise the service itself asks a replica before the first question does.
    MEMBRANE_REGRET_SAMPLE: '0',
  }
  const service = await startApi(variables)
  launchRole('worker', variables)
  await service.untilUsed(1, true)
  await service.untilUsed(2, true)
  await fill(service.call, primary)
  await untilInMemory(service.call, slow, other)
  return { primary, slow, other, passage, ...service }
}

/** As soon as a replica has the vector, a caller who demands it gets it from there. */
async function expectFromReplica({ primary, slow, other, call, metric }: Stage): Promise<string> {
  const { id, position } = await store(call, primary, near[0])
  await untilReplayed(primary, slow)
  await untilReplayed(primary, other)
  const answered = () => metric('membrane_replica_statements{replica="1"}')
  const before = await answered()
  // The service learns a moment later how far a replica is, and asks the primary until then.
  await until('an answer of the replica', async () => {
    expect(await ask(call, position)).toContain(id)
    return (await answered()) > before
  })
  return id
}

/** One of the two replicas knows the vector, and the other does not. */
async function expectOfEachReplica({ primary, slow, other, call }: Stage): Promise<string> {
  await administerProduct(slow, 'select pg_wal_replay_pause()')
  const { id, position } = await store(call, primary, near[1])
  await untilReplayed(primary, other)
  const found = await Promise.all(Array.from({ length: 40 }, () => ask(call)))
  expect(new Set(found.map((ids) => ids.includes(id)))).toEqual(new Set([true, false]))
  expect(await ask(call, position)).toContain(id)
  return id
}

/** The replica that lacks the vector answers while the primary still checks it. */
async function expectDuringCheck({ primary, slow, other, call, untilUsed }: Stage): Promise<string> {
  await other.kill()
  await untilUsed(2, false)
  const { id, position } = await store(call, primary, near[2])
  expect(await ask(call, position)).toContain(id)
  const holder = new pg.Client({ connectionString: productUrl(primary) })
  await holder.connect()
  await holder.query('begin')
  await holder.query('lock table embeddings in access exclusive mode')
  const late = ask(call, position)
  await until('a check that waits', async () => (await count(primary, 'pg_locks where not granted')) > 0)
  expect(await ask(call)).not.toContain(id)
  await holder.query('rollback')
  await holder.end()
  expect(await late).toContain(id)
  expect(await ask(call, position)).toContain(id)
  expect(await ask(call)).not.toContain(id)
  await administerProduct(slow, 'select pg_wal_replay_resume()')
  await untilReplayed(primary, slow)
  expect(await ask(call)).toContain(id)
  expect(await ask(call, position)).toContain(id)
  return id
}

/** Killed and started again, the replica answers with what came meanwhile. */
async function expectAfterRestart({ primary, slow, call, untilUsed }: Stage): Promise<string> {
  await slow.kill()
  await untilUsed(1, false)
  const { id } = await store(call, primary, near[3])
  expect(await ask(call)).toContain(id)
  await slow.start()
  await untilUsed(1, true)
  await untilReplayed(primary, slow)
  return id
}

/** A new primary counts its transactions from where the old one was lost, and what it stores is found nevertheless. */
async function expectAfterFailover(
  { primary, slow, passage, call, untilUsed, untilReady }: Stage,
  known: string,
): Promise<void> {
  // The successor is cut off, and the memory learns of transactions that it never gets.
  await administer(slow.url, `alter system set primary_conninfo = ''`, 'select pg_reload_conf()')
  await until('the successor to be cut off', async () => {
    return (await count(primary, 'pg_stat_replication')) === 0
  })
  await administer(
    productUrl(primary),
    'do $$ begin for n in 1..500 loop perform pg_current_xact_id(); commit; end loop; end $$',
  )
  const lost = await store(call, primary, near[4])
  expect(await ask(call, lost.position)).toContain(lost.id)

  await primary.kill()
  await administer(slow.url, 'select pg_promote()')
  passage.lead(slow.url)
  await until('the API to write again', async () => {
    const { status } = await call('/v1/records', { body: fact('after', 'the', 'failover') })
    return status === 201
  })
  await untilReady()
  await untilUsed(1, false)
  const kept = await store(call, slow, near[5])
  const found = await ask(call, kept.position)
  expect(found).toEqual(expect.arrayContaining([known, kept.id]))
  expect(found).not.toContain(lost.id)
  expect(await ask(call)).toContain(kept.id)
}

it.skipIf(!canReplicate)(
  `vectors in memory are those of every server, however far each replica is behind, and of a new primary${needed}`,
  async () => {
    const stage = await openStage()
    const first = await expectFromReplica(stage)
    const known = [first, await expectOfEachReplica(stage), await expectDuringCheck(stage)]
    known.push(await expectAfterRestart(stage))
    expect(await ask(stage.call)).toEqual(expect.arrayContaining(known))
    await expectAfterFailover(stage, first)
  },
)
