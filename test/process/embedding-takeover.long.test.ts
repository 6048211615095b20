import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openEmbeddingDeployment } from '../support/models/embedding-deployment.ts'
import { until } from '../support/processes/processes.ts'
import { readEmbeddingModels } from '../support/workers/embedding-workers.ts'

it('a worker with another model takes over as soon as the last old worker has stopped, and not before', async () => {
  const { database, capture, startWorker, waitUntilAllEmbedded } = await openEmbeddingDeployment()
  await capture('Deploys of user-auth need Node 24')
  const first = startWorker()
  const second = startWorker()
  await waitUntilAllEmbedded()
  await until('both workers to be noted', async () => {
    const { rows } = await database.pool.query('select from embedding_workers')
    return rows.length === 2
  })
  const old = await until('the walk of the old model to end', async () =>
    (await readEmbeddingModels(database)).find(({ walked_to: walkedTo }) => walkedTo === null),
  )
  const next = startWorker({ MEMBRANE_EMBEDDING_PROVIDER: 'hash', MEMBRANE_EMBEDDING_DIMENSIONS: '64' })
  await next.waitForOutput(/another embedding configuration/)
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
  const { database, capture, startWorker } = await openEmbeddingDeployment()
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
