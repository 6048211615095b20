import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { type Call, startApi } from '../support/apps/started-service.ts'
import { until } from '../support/processes/processes.ts'
import {
  administerProduct,
  canReplicate,
  productUrl,
  startReplicatedServers,
} from '../support/servers/replicated-servers.ts'

const needed = canReplicate ? '' : ' (left out: no PostgreSQL 15 is installed)'
/** With their words more than a megabyte, from which on words are kept in memory. */
const stored = 900
const wordsOfEach = 60

const fact = (subject: string, object: string) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject, predicate: 'holds', object },
})

async function fill(call: Call): Promise<void> {
  const lines = Array.from({ length: stored }, (_, at) => {
    const words = Array.from({ length: wordsOfEach }, (_, nth) => `part${(at * 31 + nth * 7) % 5_000}`)
    return JSON.stringify(fact(`crate ${at}`, words.join(' ')))
  })
  const { status } = await call('/v1/import', { body: lines.join('\n'), type: 'application/x-ndjson' })
  expect(status).toBe(200)
}

/** The ids that one word finds, as of a position, for a caller who sees only `low`. */
async function ask(call: Call, word: string, position?: string | null): Promise<string[]> {
  const { body, status } = await call('/v1/retrieve', {
    body: { task_descriptor: word, root_limit: 5, trust: { max_sensitivity: 'low' } },
    ...(position === undefined ? {} : { position }),
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.root_ids
}

async function untilInMemory(call: Call, replica: { url: string }): Promise<void> {
  await until('words in memory', async () => {
    await ask(call, 'part1')
    // The last statement of a connection is the check of texts that were found in memory.
    const { rows } = await administerProduct(
      replica,
      `select from pg_stat_activity where query like '%checked as materialized%' and pid <> pg_backend_pid()`,
    )
    return rows.length > 0
  })
}

/** Opens a transaction that has a number, and returns what ends it. */
async function openTransaction(server: { url: string }): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: productUrl(server) })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return async () => void (await client.query('rollback'))
}

it.skipIf(!canReplicate)(
  `a replica answers by the words that a text has now, however long a transaction is open on the primary${needed}`,
  async () => {
    const { primary, addReplica } = await startReplicatedServers()
    const replica = await addReplica('replica')
    const { call, metric, untilUsed } = await startApi({
      DATABASE_URL: productUrl(primary),
      DATABASE_REPLICA_URL: productUrl(replica),
      MEMBRANE_REPLICA_LAG: '1h',
      MEMBRANE_EMBEDDING_PROVIDER: 'none',
      MEMBRANE_REGRET_SAMPLE: '0',
    })
    await untilUsed(1, true)
    const { body: created } = await call('/v1/records', { body: fact('case', 'harmonica') })
    const { id } = created
    // Where words find nothing, other records are answered.
    await call('/v1/records', { body: fact('shelf', 'accordion dulcimer') })
    await fill(call)
    await untilInMemory(call, replica)

    const patch = async (change: object) => {
      const { status, body, position } = await call(`/v1/records/${id}`, { method: 'PATCH', body: change })
      expect(status, JSON.stringify(body)).toBe(200)
      // The replica answers only where it has what the position names.
      await until('the replica to replay it', async () => {
        const before = await metric('membrane_replica_statements{replica="1"}')
        await ask(call, 'part2', position)
        return (await metric('membrane_replica_statements{replica="1"}')) > before
      })
      return position
    }

    const end = await openTransaction(primary)
    for (const tag of ['accordion', 'bagpipe', 'clavichord', 'dulcimer']) {
      const position = await patch({ tags: [tag] })
      const before = await metric('membrane_replica_statements{replica="1"}')
      expect(await ask(call, tag, position), tag).toContain(id)
      expect(await metric('membrane_replica_statements{replica="1"}')).toBeGreaterThan(before)
    }
    expect(await ask(call, 'accordion')).not.toContain(id)

    // What is hidden from the caller and shown again is found again.
    for (const turn of [1, 2]) {
      expect(await ask(call, 'dulcimer', await patch({ sensitivity: 'high' })), `${turn}`).not.toContain(id)
      expect(await ask(call, 'dulcimer', await patch({ sensitivity: 'low' })), `${turn}`).toContain(id)
    }
    await end()
    expect(await ask(call, 'glockenspiel', await patch({ tags: ['glockenspiel'] }))).toContain(id)
    expect(await ask(call, 'dulcimer')).not.toContain(id)
  },
)
