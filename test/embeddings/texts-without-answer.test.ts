import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, expect, it } from 'vitest'
import type { Embedder } from '../../src/embeddings/embedders/embedder.ts'
import { createHashEmbedder } from '../../src/embeddings/embedders/hash-embedder.ts'
import { ModelFailure } from '../../src/llm/model-failure.ts'
import { emptyApp } from '../support/apps/shared-store.ts'
import { fact, payloads } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import {
  createPassWithoutRun,
  readEmbeddingQueue,
  readVectors,
} from '../support/workers/embedding-workers.ts'

const app = await startTestApp()
afterAll(() => app.close())
afterEach(() => emptyApp(app))

async function write(...objects: string[]): Promise<void> {
  const records = objects.map((object) => fact({ payload: { ...payloads.semantic, object } }))
  await app.request('POST', '/v1/records/batch', { body: { records } })
}
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`)

/** A quarter of the time that a pass has for its texts, as two requests of 30 s are of its 240 s. */
const timeoutMs = 150
const deadlineMs = 4 * timeoutMs

/** A server that does not answer requests with some texts. */
function createSilentEmbedder(isSilent: (text: string) => boolean): Embedder {
  const { embed, ...about } = createHashEmbedder()
  return {
    ...about,
    embed: async (texts, { deadlineMs: most = timeoutMs } = {}) => {
      if (!texts.some(isSilent)) return embed(texts)
      await sleep(Math.min(timeoutMs, most))
      throw new ModelFailure('timeout')
    },
  }
}

it('a text that a model never answers keeps no other from its vector for longer than a few passes', async () => {
  await write('poison', ...words(15))
  const embedder = createSilentEmbedder((text) => text.includes('poison'))
  const processQueue = createPassWithoutRun(app, embedder, { deadlineMs })
  for (let pass = 0; pass < 4 && (await readVectors(app)).length < 15; pass += 1) {
    await processQueue()
    app.clock.advance(20_000)
  }
  expect(await readVectors(app)).toHaveLength(15)
  expect(await readEmbeddingQueue(app)).toHaveLength(1)
})

it('a model that is slow is asked for texts in groups again', async () => {
  await write(...words(40))
  const { embed, ...about } = createHashEmbedder()
  const sizes: number[] = []
  const deadlineMs = 1_000
  const answerMs = 600
  const slow: Embedder = {
    ...about,
    embed: async (texts, { deadlineMs: most = deadlineMs } = {}) => {
      sizes.push(texts.length)
      await sleep(Math.min(answerMs, most))
      if (most < answerMs) throw new ModelFailure('timeout')
      return embed(texts)
    },
  }
  await createPassWithoutRun(app, slow, { deadlineMs })()
  expect(await readVectors(app)).toHaveLength(40)
  expect(Math.min(...sizes)).toBe(8)
})
