import { expect, it } from 'vitest'
import {
  answerBySchema,
  createEntityWithFacts,
  createFactAbout,
  parsePromptDocument,
  shareDreamApp,
} from '../support/apps/dream-app.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import type { Behaviour } from '../support/models/chat-server.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import { insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import {
  buildSimilarTexts,
  createSimilarRecords,
  endings,
  listSummaries,
  summarizeByFirst,
} from '../support/stores/similar-records.ts'
import type { TestApp } from '../support/test-app.ts'

/** The trust of the sources changes while the model answers a dream. */

const openApp = shareDreamApp({ MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' })

async function patch(app: TestApp, id: string, body: object): Promise<void> {
  const { status, text } = await app.request('PATCH', `/v1/records/${id}`, { body })
  if (status !== 200) throw new Error(`not patched: ${text}`)
}

const textsOf = (name: string) =>
  name === 'Orion'
    ? buildSimilarTexts(name)
    : endings
        .slice(0, 6)
        .map((ending) => `nobody in Lyon knows why the harbour lamps of Vega stay green ${ending}`)

/** Does something once, before the first answer. */
function meanwhile(work: (document: Body) => Promise<unknown>, then: Behaviour): Behaviour {
  let isDone = false
  return async (response, seen) => {
    if (!isDone) {
      isDone = true
      await work(parsePromptDocument(seen))
    }
    await then(response, seen)
  }
}

it.each([
  ['sensitivity', { sensitivity: 'low' }],
  ['scope', { scope: 'team' }],
])('a connection follows the %s that its entities have when it is stored', async (name, change) => {
  const connecting = answerBySchema({
    synthesis: { connected: true, synthesis: 'a queue', insight: 'it fills' },
  })
  const { app, model, dream, listRunChanges } = await openApp(connecting)
  const modelId = await insertEmbeddingModel(app.db, 2)
  const ids: string[] = []
  for (const [title, vector] of [
    ['Orion', [1, 0]],
    ['Vega', [0.8, 0.6]],
  ] as const) {
    const more = { sensitivity: 'public', entity: { sensitivity: 'public' }, tags: [title] }
    const { id, known } = await createEntityWithFacts(app, title, [`${title} 1`, `${title} 2`], more)
    await insertVectors(
      app.db,
      modelId,
      known.map((each) => ({ id: each, vector: Float32Array.from(vector) })),
    )
    ids.push(id, ...known)
  }
  const move = () => Promise.all(ids.map((id) => patch(app, id, change)))
  model.behave(meanwhile(move, connecting))
  const changes = await listRunChanges(await dream(['synthesis']))
  const created = changes.find(({ action }) => action === 'create')
  expect((await read(app, created?.record_id))[name]).toBe(Object.values(change)[0])
  expect(await listBrokenLaws(app)).toEqual([])
})

it.each([{ sensitivity: 'high' }, { scope: 'others' }])(
  'a record that a client moves to %o before its group is asked about is neither shown nor merged',
  async (change) => {
    const { app, model, dream, takeModelRequests } = await openApp()
    const groups = new Map<string, string[]>()
    for (const name of ['Orion', 'Vega']) groups.set(name, await createSimilarRecords(app, textsOf(name)))
    let moved = ''
    const move = async ({ memories: [{ says }] }: Body) => {
      const [id = ''] = groups.get(says.includes('Orion') ? 'Vega' : 'Orion') ?? []
      moved = id
      await patch(app, id, change)
    }
    model.behave(meanwhile(move, answerBySchema(summarizeByFirst)))
    expect((await dream(['cluster'])).stats).toMatchObject({ clusters_merged: 2, records_merged: 11 })
    expect(takeModelRequests().map((each) => parsePromptDocument(each).memories.length)).toEqual([6, 5])
    expect((await read(app, moved)).status).toBe('active')
    for (const { id } of await listSummaries(app)) {
      const { relations } = await read(app, id)
      expect(relations.map(({ target_id: target }: Body) => target)).not.toContain(moved)
    }
    expect(await listBrokenLaws(app)).toEqual([])
  },
)

it.each(['erase', 'patch'] as const)(
  'a reason for a doubt does not quote a newer record that a client changes by %s during the model call',
  async (how) => {
    const doubting = answerBySchema({
      judgement: { still_valid: false, confidence: 1, reason: 'newer thing' },
    })
    const { app, model, dream } = await openApp(doubting)
    const orion = await createEntityWithFacts(app, 'Orion', ['old thing'])
    const belief = orion.known[0] ?? ''
    app.clock.advance(30 * 86_400_000)
    const { id } = await createFactAbout(app, orion.id, 'newer thing')
    const body = { actor: 'a', rationale: 'r' }
    model.behave(
      meanwhile(
        () =>
          how === 'erase'
            ? app.request('POST', `/v1/records/${id}/erase`, { body })
            : patch(app, id, { sensitivity: 'high' }),
        doubting,
      ),
    )
    expect((await dream(['probe'])).stats).toMatchObject({ beliefs_challenged: 0, beliefs_outdated: 1 })
    expect(JSON.stringify(await read(app, belief))).not.toContain('newer thing')
  },
)
