import { afterAll, expect, it } from 'vitest'
import { fullTrust } from '../../src/domain/trust/caller.ts'
import { createVectorSearch } from '../../src/embeddings/index.ts'
import { createChannelSearch } from '../../src/retrieval/channels/channel-search.service.ts'
import { readQuestion } from '../../src/retrieval/question/question.ts'
import { createRootSearch } from '../../src/retrieval/root-search.service.ts'
import { createTextSearch } from '../../src/retrieval/text/text-search.service.ts'
import { create } from '../support/requests/record-requests.ts'
import { buildStatement } from '../support/requests/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const model = { id: 1, dimensions: 2, provider: 'static' }

type Vectors = ReturnType<typeof createVectorSearch>

/** The search for roots of a process whose memory finds two vectors, and knows texts from before they changed. */
function createWith({ clock, db }: TestApp, ids: readonly string[]) {
  const outdated = new Map(
    ids.map((id, at) => [
      id,
      {
        created_at: new Date(-at),
        words: [],
        speaker: null,
        isOfAssistant: false,
        isOnlyName: false,
        statesOnlyFact: false,
        isGuidance: false,
        onlyAsks: false,
      },
    ]),
  )
  const memory = {
    find: async () => undefined,
    describe: (id: string) => outdated.get(id),
    untilLoaded: async () => undefined,
  }
  const findQuickly = async ({ states }: Parameters<Vectors['findQuickly']>[0]) => {
    for (const id of ids) states?.found.set(id, { salience: 1, importance: 0.5 })
    return ids.map((id) => ({ id, similarity: 0.9 }))
  }
  const text = createTextSearch({ clock, textLanguage: 'english', memory })
  const search = createChannelSearch({
    db,
    text,
    conversationGapMs: 60_000,
    vectors: { ...createVectorSearch({ db, clock }), findQuickly },
    queryEmbedder: {
      readServingModel: async () => undefined,
      embedText: async () => ({ outcome: 'unanswered' }),
    },
  })
  return createRootSearch({ db, text, search })
}

it('describes a text as the database has it where the words in memory were not asked', async () => {
  const older = await create(app, buildStatement('old'))
  app.clock.advance(60_000)
  const newer = await create(app, buildStatement('new'))
  const ids = [older.id, newer.id]
  const findRoots = createWith(app, ids)
  const question = readQuestion({}, fullTrust, app.clock.now())
  const queryVector = { model, vector: Float32Array.of(1, 0) } as never
  const { candidateNodes } = await findRoots(question, { text: undefined, queryVector }, 10)
  expect(candidateNodes.map(({ id }) => id)).toEqual([newer.id, older.id])
})
