import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startChatServer } from '../support/chat-server.ts'
import { openTestDatabase } from '../support/database.ts'
import { parseEmbeddingRequest, respondWithVectors } from '../support/embedding-server.ts'
import { readEmbeddingModels, readEmbeddingQueue, readVectors } from '../support/embedding-workers.ts'
import { until } from '../support/processes.ts'
import { launchRole, parseLogLines } from '../support/roles.ts'

/** Starts an API on a database of its own, and workers when the test requests them. */
async function openDeployment() {
  const database = await openTestDatabase()
  onTestFinished(() => database.close())
  const environment = { DATABASE_URL: database.url, MEMBRANE_API_KEY: 'root-key-of-the-tests', PORT: '0' }
  const migration = launchRole('migrate', environment)
  expect(await migration.ended, migration.output()).toEqual({ code: 0, signal: null })
  const api = launchRole('api', environment)
  onTestFinished(() => void api.kill('SIGKILL'))
  const [, url = ''] = await api.waitForOutput(/(http:\/\/127\.0\.0\.1:\d+)/)

  async function capture(text: string): Promise<void> {
    const answer = await fetch(`${url}/v1/capture`, {
      method: 'POST',
      headers: { authorization: 'Bearer root-key-of-the-tests', 'content-type': 'application/json' },
      body: JSON.stringify({ source_kind: 'event', source: 'test', content: { text } }),
    })
    expect(answer.status, await answer.text()).toBe(201)
  }

  function startWorker(variables: Record<string, string> = {}) {
    const worker = launchRole('worker', { ...environment, ...variables })
    onTestFinished(() => void worker.kill('SIGKILL'))
    return worker
  }

  const waitUntilAllEmbedded = () =>
    until('every text to have a vector', async () => {
      const { rows } = await database.pool.query('select count(*)::int as count from records')
      return (
        (await readVectors(database)).length === rows[0].count &&
        (await readEmbeddingQueue(database)).length === 0
      )
    })

  return { database, capture, startWorker, waitUntilAllEmbedded }
}

it('a worker embeds what an API captures without a run, and continues after a kill', async () => {
  const { database, capture, startWorker, waitUntilAllEmbedded } = await openDeployment()
  const without = startWorker({ MEMBRANE_EMBEDDING_PROVIDER: 'none' })
  await capture('Deploys of user-auth need Node 24')
  await without.waitForOutput(/working/)
  without.kill('SIGTERM')
  expect(await without.ended).toEqual({ code: 0, signal: null })
  expect(await readVectors(database)).toEqual([])

  const killed = startWorker()
  await waitUntilAllEmbedded()
  await capture('The user prefers dark mode')
  await waitUntilAllEmbedded()
  for (let n = 0; n < 20; n++) await capture(`Memory number ${n} of many`)
  killed.kill('SIGKILL')
  await killed.ended
  // A worker killed inside a batch would return it after a minute; this one was idle.
  await database.pool.query("update unembedded set due_at = now() where due_at < 'infinity'")

  const next = startWorker()
  await waitUntilAllEmbedded()
  const { rows } = await database.pool.query("select * from maintenance_runs where job = 'embed'")
  expect(rows).toEqual([])
  next.kill('SIGTERM')
  expect(await next.ended, next.output()).toEqual({ code: 0, signal: null })
})

it('a worker embeds with a configured server and logs when the server is unavailable', async () => {
  const server = await startChatServer(respondWithVectors())
  onTestFinished(() => server.close())
  const { database, capture, startWorker, waitUntilAllEmbedded } = await openDeployment()
  const worker = startWorker({
    ...{ MEMBRANE_EMBEDDING_PROVIDER: 'openai', MEMBRANE_EMBEDDING_ENDPOINT: `${server.url}/embeddings` },
    ...{ MEMBRANE_EMBEDDING_MODEL: 'm1', MEMBRANE_EMBEDDING_API_KEY: 'sk-of-the-tests' },
  })
  await capture('Deploys of user-auth need Node 24')
  await waitUntilAllEmbedded()
  expect(await readEmbeddingModels(database)).toMatchObject([{ model: 'm1', dimensions: 16, serves: true }])
  expect(server.requests.flatMap((seen) => parseEmbeddingRequest(seen).input).join()).toContain('user-auth')

  server.behave((response) => response.socket?.destroy())
  await capture('confidential evidence')
  await worker.waitForOutput(/texts wait for their vectors/)
  expect(worker.output()).not.toMatch(/confidential|sk-of-the-tests/)
  server.behave(respondWithVectors())
  await waitUntilAllEmbedded()
  expect(parseLogLines(worker).filter(({ level }) => level === 'fatal')).toEqual([])

  // The worker stops even during a request that never ends.
  server.behave(() => {})
  const before = server.requests.length
  await capture('one more')
  await until('the server to be asked', () => server.requests.length > before)
  worker.kill('SIGTERM')
  expect(await worker.ended, worker.output()).toEqual({ code: 0, signal: null })
  expect((await readEmbeddingQueue(database)).every(({ attempts }) => attempts === 0)).toBe(true)
})

it('a worker with another model takes over as soon as the last old worker has stopped, and not before', async () => {
  const { database, capture, startWorker, waitUntilAllEmbedded } = await openDeployment()
  await capture('Deploys of user-auth need Node 24')
  const [first, second] = [startWorker(), startWorker()]
  await waitUntilAllEmbedded()
  await until('both workers to be noted', async () => {
    const { rows } = await database.pool.query('select from embedding_workers')
    return rows.length === 2
  })
  const [old] = await readEmbeddingModels(database)
  const next = startWorker({ MEMBRANE_EMBEDDING_PROVIDER: 'hash', MEMBRANE_EMBEDDING_DIMENSIONS: '64' })
  await next.waitForOutput(/another configuration/)
  first.kill('SIGTERM')
  expect(await first.ended, first.output()).toEqual({ code: 0, signal: null })
  // Longer than the pause between two looks of a worker that waits.
  await sleep(6_000)
  expect(await readEmbeddingModels(database)).toEqual([old])
  second.kill('SIGTERM')
  expect(await second.ended, second.output()).toEqual({ code: 0, signal: null })
  await until('the next model to serve', async () =>
    (await readEmbeddingModels(database)).some(({ serves, dimensions }) => serves && dimensions === 64),
  )
})

it('killed workers compare each record once', async () => {
  const { database, capture, startWorker } = await openDeployment()
  const count = async (from: string) => {
    const { rows } = await database.pool.query<{ count: number }>(
      `select count(*)::int as count from ${from}`,
    )
    return rows[0]?.count ?? 0
  }
  for (let n = 0; n < 40; n++) await capture('Deploys of the billing service are frozen in December')
  for (let round = 0; round < 4; round++) {
    const killed = startWorker()
    await killed.waitForOutput(/working/)
    const before = await count('surprises')
    await Promise.race([
      until('the next to be compared', async () => (await count('surprises')) > before),
      new Promise((resolve) => setTimeout(resolve, 700 * round)),
    ])
    killed.kill('SIGKILL')
    await killed.ended
    await database.pool.query("update unembedded set due_at = now() where due_at < 'infinity'")
    for (let n = 0; n < 10; n++) await capture('Deploys of the billing service are frozen in December')
  }
  startWorker()
  await until('all to be compared', async () => (await count('surprises')) === (await count('records')))
  expect(await count('unsurprised')).toBe(0)
  expect(await count('surprises where duplicate_of is null')).toBe(1)
  expect(
    await count(`surprises join records on id = record_id
      where abs(base_importance - greatest(0.05, least(1, base_before + delta))) > 1e-9`),
  ).toBe(0)
}, 120_000)
