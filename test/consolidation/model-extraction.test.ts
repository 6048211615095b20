import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  respond,
  respondWithContent,
  respondWithJson,
  startChatServer,
} from '../support/models/chat-server.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listFacts,
  omitDurations,
} from '../support/requests/consolidation-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
const server = await startChatServer()
beforeAll(async () => {
  app = await startTestApp({ variables: { ...modelVariables(), MEMBRANE_LLM_CONCURRENCY: '2' } })
})
afterAll(async () => {
  await app.close()
  await server.close()
})

const modelVariables = () => ({ MEMBRANE_LLM_ENDPOINT: server.url, MEMBRANE_LLM_MODEL: 'm' })

let scope: string
beforeEach(async () => {
  server.behave(respondWithJson({ facts: [] }))
  app.clock.advance(30 * 86_400_000)
  await consolidate(app)
  scope = createScope()
  server.requests.length = 0
})

const day = 86_400_000
const fact = (object: unknown) => ({ subject: 'Ada', predicate: 'prefers', object })
const episode = (more: object = {}, given: object = {}) =>
  captureEpisode(app, 'a talk with Ada', { outcome: 'partial', ...more }, { scope, ...given })
const extracted = async () =>
  (await listFacts(app, scope)).filter(
    ({ provenance }: Body) => provenance.created_by === 'consolidation/semantic-extractor',
  )
const objects = async () => (await extracted()).map(({ payload }: Body) => payload.object)
const extract = () => consolidate(app, { options: { stages: ['extraction'] } })
/** Returns the figures of a run of extraction. */
const extractAndCount = async () => omitDurations(await extract())

describe('extraction with a model', () => {
  it('says who wrote a message', async () => {
    const content = 'I run a bakery in Ghent.'
    const messages = ['Ada', undefined].map((name) => ({ role: 'user', name, content }))
    await app.request('POST', `/v1/conversations/${scope}/messages`, { body: { scope, messages } })
    await extract()
    const writers = server.requests.map(({ body }) => JSON.parse(body.messages[1]?.content ?? '').writer)
    expect(writers.sort()).toEqual(['Ada', 'user'])
  })

  it('stores of a hostile answer only what can be stored as it was written', async () => {
    const hostile = [
      '12345678901234567890',
      '1e400',
      '"a\\u0000b"',
      '"\\ud800"',
      '{"__proto__": {"admin": true}}',
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      JSON.stringify('x'.repeat(9_000)),
      '7',
      '{"a": 1, "a": 2}',
    ]
    const facts = hostile.map((object, at) => `{"subject": "s${at}", "predicate": "p", "object": ${object}}`)
    const id = `"id": "${app.ids.next()}", "scope": "others", "sensitivity": "public"`
    facts.push(
      `{"subject": "s", "predicate": "p", "object": "mine", ${id}, "evidence": ["x"], "status": "merged"}`,
    )
    server.behave(respondWithContent(`{"facts": [${facts.join(', ')}]}`))
    await episode({}, { sensitivity: 'low' })
    await extract()
    expect(await objects()).toEqual(expect.arrayContaining([7, { a: 2 }, 'mine']))
    const stored = await extracted()
    expect(stored).toHaveLength(3)
    for (const each of stored) expect(each).toMatchObject({ scope, sensitivity: 'low', status: 'active' })
  })

  it('creates facts with their provenance', async () => {
    server.behave(respondWithJson({ facts: [fact('tea'), fact({ brand: 'x' }), { subject: 1 }, fact('')] }))
    const { id } = await episode({}, { tags: ['talk'], sensitivity: 'public' })
    const run = await consolidate(app)
    expect(omitDurations(run)).toMatchObject({
      semantic_triples_extracted: 2,
      extraction_prompt_tokens: 70,
      extraction_completion_tokens: 5,
    })
    expect(await objects()).toEqual(expect.arrayContaining(['tea', { brand: 'x' }]))
    const facts = await extracted()
    expect(facts[0]).toMatchObject({
      payload: { evidence: [{ source_type: 'event', source_id: id }] },
      tags: ['consolidated', 'talk'],
      sensitivity: 'public',
    })
    expect(facts[0]?.relations).toMatchObject([{ predicate: 'derived_from', target_id: id }])
    for (const _ of [1, 2, 3]) await consolidate(app)
    expect(await extracted()).toEqual(facts)
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['as a list', respondWithJson([fact('tea')])],
    ['under triples', respondWithJson({ triples: [fact('tea')] })],
    [
      'in a fence among prose',
      respondWithContent(`Sure [1]:\n\`\`\`json\n${JSON.stringify([fact('tea')])}\n\`\`\` Bye.`),
    ],
  ])('accepts an answer given %s', async (_, behaviour) => {
    server.behave(behaviour)
    await episode()
    await extract()
    expect(await objects()).toEqual(['tea'])
  })

  it('confirms a fact of an earlier episode', async () => {
    server.behave(respondWithJson([fact('tea')]))
    await episode()
    await extract()
    await episode()
    expect(await extractAndCount()).toMatchObject({ semantic_triples_extracted: 0, duplicates_resolved: 1 })
    expect(await extracted()).toMatchObject([{ version: 2, payload: { evidence: [{}, {}] } }])
  })

  it('masks secrets in the prompt and skips episodes above the sensitivity of the model', async () => {
    await episode({}, { sensitivity: 'medium' })
    await episode({
      tool_graph: [{ id: '1', tool: 'curl', args: { apiKey: 'hunter22' }, result: 'Bearer hunter2222' }],
    })
    expect(await extractAndCount()).toMatchObject({ extraction_skipped: 1 })
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]?.text).not.toContain('hunter22')
    expect(JSON.parse(server.requests[0]?.body.messages[1]?.content ?? '')).toMatchObject({
      outcome: 'partial',
      events: [{ summary: 'a talk with Ada' }],
      tools: [{ tool: 'curl' }],
    })
  })
})

describe('extraction with a model that fails', () => {
  it('counts one of five attempts for the episode and continues with the others', async () => {
    const poison = (await episode({}, { summary: 'poison' })).id
    server.behave((response, seen) =>
      seen.text.includes('poison')
        ? respondWithContent('no idea')(response, seen)
        : respondWithJson([fact('tea')])(response, seen),
    )
    await episode()
    for (let attempt = 1; attempt <= 5; attempt++) {
      const run = await extract()
      expect(run).toMatchObject({ status: 'succeeded', stats: { extraction_skipped: 1 } })
      if (attempt === 1) expect(await objects()).toEqual(['tea'])
      const { body } = await app.request('GET', `/v1/maintenance/runs/${run.id}/changes`)
      expect((body as Body).items.find(({ record_id: id }: Body) => id === poison)?.note).toContain(
        `attempt ${attempt}${attempt === 5 ? ', given up' : ''}`,
      )
      app.clock.advance(2 * day)
    }
    const before = server.requests.length
    expect(await extractAndCount()).toMatchObject({ extraction_skipped: 0 })
    expect(server.requests).toHaveLength(before)
  })

  it('retries after the model was busy', async () => {
    let turn = 0
    server.behave((response, seen) =>
      turn++ === 0
        ? respond(429, {}, { 'retry-after': '0' })(response, seen)
        : respondWithJson([fact('tea')])(response, seen),
    )
    await episode()
    await extract()
    expect(await objects()).toEqual(['tea'])
  })

  it('stops when the model is unavailable or refuses the key, and the other stages continue', async () => {
    for (const _ of [1, 2, 3, 4, 5, 6]) await episode({ outcome: 'success' })
    server.behave(respond(401, {}))
    const run = await consolidate(app)
    expect(run).toMatchObject({
      status: 'succeeded',
      error: 'extraction: ModelFailure: the model did not answer: refused (401)',
      stats: { semantic_extracted: 1, extraction_skipped: 6, failed: 1 },
    })
    expect(server.requests).toHaveLength(2)
    server.behave(respondWithJson([fact('tea')]))
    expect(await extractAndCount()).toMatchObject({ semantic_triples_extracted: 1, duplicates_resolved: 5 })
  })
})

it('extraction counts the tokens of an answer that cannot be read, or else estimates them', async () => {
  await episode()
  server.behave(respondWithContent('Ada prefers tea.'))
  const counted = { extraction_prompt_tokens: 70, extraction_completion_tokens: 5 }
  expect(await extractAndCount()).toMatchObject(counted)
  await episode()
  server.behave(respondWithContent('Ada prefers tea.', null))
  expect(await extractAndCount()).toMatchObject({ extraction_completion_tokens: 4 })
})

it('extraction reads an answer of any depth whose tokens are not counted', async () => {
  await episode()
  server.behave(respondWithContent(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, null))
  expect(await extractAndCount()).toMatchObject({ extraction_completion_tokens: 50_000 })
})

it('extraction stops after three episodes in a row without an answer', async () => {
  for (const _ of [1, 2, 3, 4, 5, 6]) await episode()
  server.behave(respond(503, {}))
  expect(await extractAndCount()).toMatchObject({ extraction_skipped: 6, semantic_triples_extracted: 0 })
  // Two run at once, so a fourth had started; each was tried three times.
  expect(server.requests).toHaveLength(4 * 3)
})

it('extraction stops at the cost limit of a run', async () => {
  server.behave(respondWithJson([fact('tea')]))
  const prices = { MEMBRANE_LLM_PROMPT_PRICE: '10', MEMBRANE_LLM_MAX_COST_PER_RUN: '0.001' }
  const variables = { ...modelVariables(), ...prices, MEMBRANE_LLM_CONCURRENCY: '1' }
  const thrifty = await startTestApp({ variables })
  for (const _ of [1, 2, 3, 4]) await captureEpisode(thrifty, 'a talk')
  const run = await consolidate(thrifty, { options: { stages: ['extraction'] } })
  // 70 tokens at 10 per million each; the second exceeds 0.001.
  expect(omitDurations(run)).toMatchObject({ extraction_cost_micros: 1_400, extraction_skipped: 2 })
  expect(omitDurations(await consolidate(thrifty, { options: { stages: ['extraction'] } }))).toMatchObject({
    extraction_skipped: 0,
  })
  await thrifty.close()
})

it('extraction calls no model in a dry run unless requested, and stores nothing then', async () => {
  server.behave(respondWithJson([fact('tea')]))
  await episode()
  const dry = { dry_run: true, options: { stages: ['extraction'] } }
  expect(omitDurations(await consolidate(app, dry))).toMatchObject({ semantic_triples_extracted: 0 })
  expect(server.requests).toHaveLength(0)
  const asking = { dry_run: true, options: { stages: ['extraction'], ask_model: true } }
  expect(omitDurations(await consolidate(app, asking))).toMatchObject({ semantic_triples_extracted: 1 })
  expect(await extracted()).toEqual([])
  await extract()
  expect(await objects()).toEqual(['tea'])
})
