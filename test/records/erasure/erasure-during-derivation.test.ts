import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { purgeForgotten } from '../../../src/records/index.ts'
import { createEntityWithFacts, schemaNameOf } from '../../support/apps/dream-app.ts'
import { listBrokenLaws } from '../../support/checks/broken-laws.ts'
import { isLongRun } from '../../support/long-run.ts'
import { respondWithJson, startChatServer } from '../../support/models/chat-server.ts'
import { createSessionEnder } from '../../support/processes/end-session.ts'
import {
  captureFact,
  erase,
  postCapture,
  readAllRows,
  triple,
} from '../../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  listFacts,
  listRecords,
} from '../../support/requests/consolidation-requests.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
} from '../../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'
import { noIntervals } from '../../support/workers/idle-jobs.ts'
import { createWorkerFor } from '../../support/workers/worker-setup.ts'

let app: TestApp
const model = await startChatServer(respondWithJson({}))
beforeAll(async () => {
  const variables = {
    MEMBRANE_TOMBSTONE_KEY: 'a key of the derivation tests',
    MEMBRANE_LLM_ENDPOINT: model.url,
    MEMBRANE_LLM_MODEL: 'm',
  }
  app = await startTestApp({ variables })
})
afterAll(async () => {
  await app.close()
  await model.close()
})

const rowsWith = async (word: string) => (await readAllRows(app)).filter((row) => row.includes(word))

/** Answers the questions of one kind, after `before` was done; everything else gets an empty answer. */
function answerOnce(kind: string, before: () => Promise<void>, answer: object): () => number {
  let answered = 0
  model.behave(async (response, request) => {
    if (schemaNameOf(request) !== kind) return respondWithJson({})(response, request)
    if (answered++ === 0) await before()
    return respondWithJson(answer)(response, request)
  })
  return () => answered
}

// First, because it reads the whole store again and again.
it('an erase whose session ends before any of its statements changes nothing', async () => {
  const say = (object: string, more: object = {}) =>
    fact({ payload: { ...payloads.semantic, object }, ...more })
  const from = (...ids: string[]) => ({
    provenance: { sources: ids.map((id) => ({ kind: 'event', ref: `record:${id}` })) },
  })
  const prepare = async (name: string) => {
    const root = await create(app, say(`${name} root`))
    const other = await create(app, say(`${name} other`))
    const child = await create(app, say(`${name} child`, from(root.id)))
    const kept = await create(app, say(`${name} kept`, from(root.id, other.id)))
    return { root, child, kept }
  }
  const body = { actor: 'desk', rationale: 'request 4711' }
  const send = (id: string) => app.request('POST', `/v1/records/${id}/erase`, { body })
  const sessionEnder = createSessionEnder(app)
  const sample = await prepare('sample')
  const { result, statements } = await sessionEnder.count(() => send(sample.root.id))
  expect(result.status).toBe(200)
  expect(statements).toBeGreaterThan(15)
  const { root, child, kept } = await prepare('unlucky')
  const before = await readAllRows(app)
  for (let nth = statements; nth > 0; nth -= isLongRun ? 1 : 3) {
    const { result: cut } = await sessionEnder.count(() => send(root.id), nth)
    expect([nth, cut.status]).toEqual([nth, 503])
    expect(await readAllRows(app)).toEqual(before)
  }
  expect((await send(root.id)).body).toMatchObject({ derived_ids: [child.id], kept: [kept.id] })
  expect(await read(app, kept.id)).toMatchObject({ version: 2 })
  expect(await listBrokenLaws(app)).toEqual([])
})

describe('what a model writes of a record that is erased while the model answers', () => {
  it('is not stored as a fact', async () => {
    const episode = await captureEpisode(app, 'a talk about okapis', {}, { scope: 'extraction' })
    const answer = { facts: [{ subject: 'Ada', predicate: 'likes', object: 'okapis' }] }
    const answered = answerOnce('facts', () => erase(app, episode.id), answer)
    await consolidate(app, { options: { stages: ['extraction'] } })
    await consolidate(app, { options: { stages: ['extraction'] } })
    expect(answered()).toBe(1)
    expect(await listFacts(app, 'extraction')).toEqual([])
    expect(await rowsWith('okapi')).toEqual([])
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('is not stored as a profile', async () => {
    const objects = ['quagga', 'zebra', 'horse', 'mule', 'donkey']
    const { known } = await createEntityWithFacts(app, 'the stable', objects)
    const answered = answerOnce('profile', () => erase(app, known[0] ?? ''), { profile: 'It has a quagga.' })
    await app.request('POST', '/v1/maintenance/runs', {
      body: { job: 'dream', options: { steps: ['peer_cards'] } },
    })
    await createWorkerFor(app, noIntervals).runJob('dream', new AbortController().signal)
    expect(answered()).toBeGreaterThan(0)
    expect(await rowsWith('quagga')).toEqual([])
    expect(await listBrokenLaws(app)).toEqual([])
  })
})

/** Captures an episode from which a skill and a plan are learnt, with its own words in every place. */
function playTune(summary: string, scope: string): Promise<Body> {
  const graph = ['tune', 'play', 'bow'].map((tool, place) => ({
    id: `${summary} ${place}`,
    tool,
    args: place === 0 ? { volume: 3 } : { summary },
    depends_on: place === 0 ? [] : [`${summary} ${place - 1}`],
  }))
  const content = { tool_graph: graph, subject: 'band', predicate: `plays ${summary}`, object: summary }
  return captureEpisode(app, summary, content, { scope, tags: [summary.replace(' ', '-')] })
}

const stepNames = ['step-1', 'step-2', 'step-3']
const [first, second, third] = stepNames

it.each([
  ['competence', { triggers: [] }],
  [
    'plan_graph',
    {
      nodes: stepNames.map((id, place) => ({ id, ...(place === 0 ? { params: { volume: 3 } } : {}) })),
      edges: [
        { from: first, to: second },
        { from: second, to: third },
      ],
    },
  ],
])('a %s stays without the words of the erased episode from which it was written', async (type, left) => {
  model.behave(respondWithJson({}))
  const words = [`harpsichord-${type}`, `glockenspiel-${type}`]
  const episodes = [await playTune(words[0] ?? '', type), await playTune(words[1] ?? '', type)]
  await consolidate(app, { scope: type })
  const [learnt] = await listRecords(app, `type=${type}&scope=${type}`)
  // One of the two gives its words: which one depends on the order in which they are read.
  const place = words.findIndex((word) => JSON.stringify(learnt?.payload).includes(word))
  await erase(app, episodes[place]?.id)
  expect(await rowsWith(words[place] ?? 'no word was copied')).toEqual([])
  const { payload } = await read(app, learnt?.id)
  expect(payload).toMatchObject(left)
  expect(JSON.stringify(payload)).not.toContain('summary')
  expect(await listBrokenLaws(app)).toEqual([])
})

describe('an episode that is erased while others use it', () => {
  const rounds = isLongRun ? [1, 2, 3, 4, 5, 6] : [1, 3]

  it('leaves no word, whether consolidation reads it before or after', async () => {
    model.behave(respondWithJson({}))
    for (const round of rounds) {
      const scope = `consolidation ${round}`
      const word = `xylophone${round}`
      const [episode = { id: '' }] = await Promise.all(
        [word, 'a drum', 'a flute'].map((summary) => playTune(summary, scope)),
      )
      const eraseLater = async () => {
        await new Promise((resolve) => setTimeout(resolve, (round - 1) * 30))
        await erase(app, episode.id)
      }
      await Promise.all([consolidate(app, { scope }), eraseLater()])
      await consolidate(app, { scope })
      expect(await rowsWith(word)).toEqual([])
    }
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('leaves no word, whether the same event and the same fact are captured before or after', async () => {
    for (const round of rounds) {
      const scope = `capture ${round}`
      const word = `marimba${round}`
      const content = { ...triple('linux', { note: word }), ref: `event ${round}` }
      const { primary_record: episode } = await captureFact(app, content, { scope })
      const again = () => postCapture(app, content, { scope, source_kind: 'observation' })
      const confirm = (place: number) =>
        postCapture(app, triple('linux', { ref: `other ${place}` }), { scope, source_kind: 'observation' })
      const answers = await Promise.all([
        again(),
        confirm(1),
        erase(app, episode.id),
        again(),
        confirm(2),
        again(),
      ])
      const statuses = answers.flatMap((answer) => (answer ? [answer.status] : []))
      expect(statuses.filter((status) => ![200, 201, 409, 410].includes(status))).toEqual([])
      expect(await rowsWith(word)).toEqual([])
    }
    expect(await listBrokenLaws(app)).toEqual([])
  })
})

it('a purged record that is erased takes with it what rests on it alone', async () => {
  const say = (object: string, more: object = {}) =>
    fact({ payload: { ...payloads.semantic, object }, ...more })
  const root = await create(app, say('purged root'))
  const provenance = { sources: [{ kind: 'event', ref: `record:${root.id}` }] }
  const child = await create(app, say('child of the purged root', { provenance }))
  await app.request('DELETE', `/v1/records/${root.id}?actor=a&rationale=b`)
  app.clock.advance(31 * 86_400_000)
  await purgeForgotten(app.db, app.clock.now(), 1_000)
  expectProblem(await app.request('GET', `/v1/records/${root.id}`), 410, 'record_purged')
  expect(await read(app, child.id)).toMatchObject({ version: 1 })
  const body = { actor: 'desk', rationale: 'request 4711' }
  const erased = await app.request('POST', `/v1/records/${root.id}/erase`, { body })
  expect(erased.body).toMatchObject({ removed: { records: 1 }, derived_ids: [child.id] })
  expectProblem(await app.request('GET', `/v1/records/${root.id}`), 410, 'record_erased')
  expectProblem(await app.request('GET', `/v1/records/${child.id}`), 410, 'record_erased')
  expect(await listBrokenLaws(app)).toEqual([])
})
