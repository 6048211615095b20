import { expect, onTestFinished } from 'vitest'
import { until } from '../processes/processes.ts'
import { launchRole, openMigratedDatabase } from '../processes/roles.ts'
import { readEmbeddingQueue, readVectors } from '../workers/embedding-workers.ts'

/** Starts an API on a database of its own, and workers when the test requests them. */
export async function openEmbeddingDeployment() {
  const database = await openMigratedDatabase()
  const environment = { DATABASE_URL: database.url, MEMBRANE_API_KEY: 'root-key-of-the-tests', PORT: '0' }
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
