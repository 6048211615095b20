import { expect, it, onTestFinished } from 'vitest'
import { startChatServer } from '../support/models/chat-server.ts'
import { openEmbeddingDeployment } from '../support/models/embedding-deployment.ts'
import { parseEmbeddingRequest, respondWithVectors } from '../support/models/embedding-server.ts'
import { until } from '../support/processes/processes.ts'
import { parseLogLines } from '../support/processes/roles.ts'
import { readEmbeddingModels, readEmbeddingQueue, readVectors } from '../support/workers/embedding-workers.ts'

it('a worker embeds what an API captures without a run, and continues after a kill', async () => {
  const { database, capture, startWorker, waitUntilAllEmbedded } = await openEmbeddingDeployment()
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
  for (let n = 0; n < 5; n++) await capture(`Memory number ${n} of many`)
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
  const { database, capture, startWorker, waitUntilAllEmbedded } = await openEmbeddingDeployment()
  const worker = startWorker({
    MEMBRANE_EMBEDDING_PROVIDER: 'openai',
    MEMBRANE_EMBEDDING_ENDPOINT: `${server.url}/embeddings`,
    MEMBRANE_EMBEDDING_MODEL: 'm1',
    MEMBRANE_EMBEDDING_API_KEY: 'sk-of-the-tests',
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
