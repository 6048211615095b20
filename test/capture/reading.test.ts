import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask, capture, edgesOf, erase, forget, list } from '../support/capturing.ts'
import {
  answering,
  type Behaviour,
  type ChatServer,
  flooding,
  hangingUp,
  inTurn,
  never,
  refusingSchemas,
  saying,
  sending,
  slowly,
  stalling,
  startChatServer,
} from '../support/chat-server.ts'
import { type Answer, startTestApp, type TestApp } from '../support/http.ts'
import { type Body, create, payloads, read } from '../support/records.ts'

const timeoutMs = 500
const secret = 'sk-secret-of-the-model'
let app: TestApp
let model: ChatServer

beforeAll(async () => {
  model = await startChatServer()
  app = await startTestApp({
    variables: {
      MEMBRANE_TOMBSTONE_KEY: 'a tombstone key of the tests',
      MEMBRANE_INGEST_LLM_ENABLED: 'true',
      MEMBRANE_INGEST_LLM_ENDPOINT: model.url,
      MEMBRANE_INGEST_LLM_MODEL: 'reader',
      MEMBRANE_INGEST_LLM_API_KEY: secret,
      MEMBRANE_INGEST_LLM_TIMEOUT: `${timeoutMs}ms`,
    },
  })
})
afterAll(async () => {
  await app.close()
  await model.close()
})
beforeEach(() => {
  model.requests.length = 0
  app.log.length = 0
})

const warnings = () => app.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')
const asked = () => model.requests.map(({ body }) => JSON.parse(body.messages[1]?.content ?? ''))
const sent = () => model.requests.map(({ text }) => text).join('\n')

const entity = (name: string, more: object = {}): Promise<Body> =>
  create(app, { type: 'entity', payload: { ...payloads.entity, canonical_name: name }, ...more })

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const started = performance.now()
  return [await work, performance.now() - started]
}

describe('a model that answers', () => {
  it('adds to the interpretation, and its mentions become entities', async () => {
    const scope = 'answers'
    const { id } = await entity('Orion', { scope })
    model.behave(
      saying(
        `Sure:\n\`\`\`json\n${JSON.stringify({
          summary: 'Ada moved the satellite to Go.',
          topical_labels: ['languages'],
          mentions: [
            { surface: 'the satellite', entity_kind: 'Project', canonical_entity_id: id, confidence: 0.9 },
            { surface: 'Ada', entity_kind: 'Person', aliases: ['Ada L.'] },
          ],
          extraction_confidence: 0.8,
        })}\n\`\`\``,
      ),
    )
    const answer = await capture(app, { event_kind: 'note', note: 'Ada moved Orion to Go' }, { scope })
    const [primary, ...born] = answer.created_records
    expect(primary.interpretation).toMatchObject({
      status: 'resolved',
      summary: 'Ada moved the satellite to Go.',
      topical_labels: ['languages'],
      mentions: [
        { surface: 'the satellite', canonical_entity_id: id },
        { surface: 'Ada', canonical_entity_id: born[0].id },
      ],
      extraction_confidence: 0.8,
    })
    expect(born.map(({ payload }: Body) => payload.canonical_name)).toEqual(['Ada'])
    expect(answer.edges).toContainEqual(
      expect.objectContaining({ source_id: primary.id, predicate: 'mentions_entity', target_id: id }),
    )
    expect(warnings()).toEqual([])
  })

  it('is shown the entities that are named and the records that are referred to', async () => {
    const scope = 'shown'
    const [orion, apollo, other] = await Promise.all([
      entity('Orion Deploy Tool', { scope }),
      entity('Apollo'),
      entity('Unnamed', { scope }),
    ])
    model.behave(answering({ summary: 'The tests were red.' }))
    const earlier = await capture(app, { text: 'the tests were red' }, { scope })
    const fact = await create(app, { type: 'semantic', payload: payloads.semantic, scope })
    model.requests.length = 0
    model.behave(answering({ summary: 'x' }))
    const refs = { earlier_ref: earlier.primary_record.id, fact_record_id: fact.id.toUpperCase() }
    await capture(app, { text: 'Ran the orion deploy tool, again.', project: 'APOLLO', ...refs }, { scope })
    const [{ known_entities: entities, known_records: records }] = asked()
    expect(entities.map(({ id }: Body) => id)).toEqual([apollo.id, orion.id])
    expect(entities[0]).toEqual({ id: apollo.id, name: 'Apollo', kind: 'Project', aliases: [] })
    expect(new Map(records.map(({ id, summary }: Body) => [id, summary]))).toEqual(
      new Map([
        [earlier.primary_record.id, 'The tests were red.'],
        [fact.id, 'object: Go, subject: user, predicate: prefers'],
      ]),
    )
    expect(sent()).not.toContain(other.id)
  })

  it('that knows no schemas is asked without', async () => {
    model.behave(refusingSchemas(400, answering({ summary: 'as told' })))
    const { primary_record: primary } = await capture(app, { note: 'x' })
    expect(primary.interpretation.summary).toBe('as told')
  })
})

const full = (mention: object) => ({ mentions: [{ surface: 'm', entity_kind: 'Tool', ...mention }] })
const faults: [string, Behaviour, string, number?][] = [
  ['never answers', never, 'timeout'],
  ['answers too late', slowly(2 * timeoutMs, answering({ summary: 'late' })), 'timeout'],
  ['stops in the middle', stalling, 'timeout'],
  ['sends for ever', flooding(Number.POSITIVE_INFINITY, { chunk: 1, pauseMs: 5 }), 'timeout'],
  ['sends too much', flooding(30 * 1_024 * 1_024), 'invalid_answer'],
  ['hangs up', hangingUp, 'unavailable'],
  ['is too busy', sending(429, { error: 'evidence' }, { 'retry-after': '1' }), 'rate_limited', 429],
  ['is broken', sending(500, { error: { message: 'evidence' } }), 'unavailable', 500],
  ['wants another key', sending(401, { error: { message: secret } }), 'refused', 401],
  ['answers in prose', saying('the evidence says so'), 'invalid_answer'],
  ['answers a list', answering([{ summary: 'evidence' }]), 'invalid_answer'],
  ['answers nothing', answering({}), 'invalid_answer'],
  ['answers in another shape', answering({ mentions: [{ name: 'evidence' }] }), 'invalid_answer'],
  ['is too sure', answering(full({ confidence: 7 })), 'invalid_answer'],
  ['names a type there is not', answering({ proposed_type: 'evidence' }), 'invalid_answer'],
]

describe('a model that', () => {
  it.each(faults)('%s leaves the capture to the rule', async (_name, behaviour, reason, status) => {
    model.behave(behaviour)
    const [answer, elapsed] = await timed(ask(app, { note: 'the evidence', project: 'Faulty' }))
    expect(answer.status).toBe(201)
    expect(elapsed).toBeLessThan(timeoutMs + 1_000)
    const { interpretation } = (answer.body as Body).primary_record
    expect(interpretation).toMatchObject({
      summary: 'note: the evidence, project: Faulty',
      topical_labels: [],
    })
    expect(interpretation.mentions).toMatchObject([{ surface: 'Faulty', entity_kind: 'Project' }])
    const [warning, ...more] = warnings()
    expect([warning.reason, warning.status, more]).toEqual([reason, status, []])
    expect(app.log.join('\n')).not.toMatch(/evidence|Faulty|sk-secret/)
  })

  it('is slow keeps nobody waiting but who captures', async () => {
    model.behave(never)
    const captures = Promise.all(list(30).map((n) => ask(app, { note: `slow ${n}` })))
    while (model.requests.length < 30) await new Promise((soon) => setTimeout(soon, 5))
    const [answers, elapsed] = await timed(
      Promise.all(list(20).map(() => app.request('GET', '/v1/records?limit=1'))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    // They answered while the model was still silent.
    expect(elapsed).toBeLessThan(timeoutMs)
    expect(new Set((await captures).map(({ status }) => status))).toEqual(new Set([201]))
    expect(warnings()).toHaveLength(30)
  })
})

describe('an id that a model makes up', () => {
  it.each(['a name', 'a reference', 'a relation'])('as that of %s counts for nothing', async (place) => {
    const scope = `forged ${place}`
    const [elsewhere, confidential, unshown, record] = await Promise.all([
      entity('Vega', { scope: 'elsewhere' }),
      entity('Vega', { scope, sensitivity: 'high' }),
      entity('Not named', { scope }),
      create(app, { type: 'semantic', payload: payloads.semantic, scope: 'elsewhere' }),
    ])
    const ids = [
      elsewhere.id,
      confidential.id,
      unshown.id,
      record.id,
      '0197b9a0-0000-7000-8000-0000000000ff',
      'x',
    ]
    for (const id of ids) {
      const target = { target_entity_id: id, target_record_id: id }
      model.behave(
        answering({
          ...(place === 'a name' ? full({ surface: 'Vega', canonical_entity_id: id }) : {}),
          ...(place === 'a reference' ? { reference_candidates: [{ ref: id, ...target }] } : {}),
          ...(place === 'a relation' ? { relation_candidates: [{ predicate: 'p', ...target }] } : {}),
        }),
      )
      const answer = await capture(app, { note: 'Vega rises' }, { scope, sensitivity: 'public' })
      expect(warnings()).toEqual([])
      const {
        mentions,
        reference_candidates: refs,
        relation_candidates: relations,
      } = answer.primary_record.interpretation
      for (const each of [...refs, ...relations]) expect(each).toMatchObject({ resolved: false })
      expect(mentions.map((each: Body) => each.canonical_entity_id)).not.toContain(id)
      expect(answer.edges.map((edge: Body) => edge.target_id)).not.toContain(id)
    }
  })
})

describe('nothing is sent', () => {
  it('of what is more sensitive than a model may read', async () => {
    model.behave(answering({ summary: 'guessed' }))
    for (const sensitivity of ['medium', 'high', 'hyper']) {
      const { primary_record: primary } = await capture(app, { note: 'x' }, { sensitivity })
      expect(primary.interpretation.summary).toBe('note: x')
    }
    expect(model.requests).toEqual([])
    expect(warnings()).toEqual([])
  })

  it('of what a capture names or refers to, where that is more sensitive or of another scope', async () => {
    const scope = 'ceiling'
    const hidden = await Promise.all([
      entity('Sirius', { scope, sensitivity: 'medium' }),
      entity('Sirius', { scope: 'other' }),
      create(app, { type: 'semantic', payload: payloads.semantic, scope, sensitivity: 'high' }),
      create(app, { type: 'semantic', payload: payloads.semantic, scope: 'other' }),
    ])
    const shown = await entity('Sirius', { scope, sensitivity: 'public' })
    model.behave(answering({ summary: 'x' }))
    const refs = hidden.map(({ id }) => id)
    await capture(app, { note: 'Sirius', project: 'Sirius', refs }, { scope, sensitivity: 'public' })
    const [{ known_entities: entities, known_records: records }] = asked()
    expect(entities.map(({ id }: Body) => id)).toEqual([shown.id])
    expect(records).toEqual([])
  })

  it('of a task that was told of in greater confidence', async () => {
    const told = { source_kind: 'working_state', scope: 'tasks' }
    const task = { thread_id: 't', state: 'executing' }
    model.behave(answering({ summary: 'x' }))
    await capture(app, task, { ...told, sensitivity: 'high' })
    await capture(app, task, told)
    expect(model.requests).toEqual([])
    await capture(app, { ...task, thread_id: 't2' }, told)
    expect(model.requests).toHaveLength(1)
  })

  it('of an outcome, and of what was captured before', async () => {
    model.behave(answering({ summary: 'x' }))
    const headers = { 'idempotency-key': 'read once' }
    const once = { ref: 'once', text: 'x' }
    const first = await ask(app, once, { scope: 'again' }, { headers: { 'idempotency-key': 'read-once' } })
    expect([first.status, model.requests.length]).toEqual([201, 1])
    const replay = await ask(app, once, { scope: 'again' }, { headers: { 'idempotency-key': 'read-once' } })
    expect([replay.headers.get('idempotency-replayed'), replay.text]).toEqual(['true', first.text])
    expect((await ask(app, once, { scope: 'again' }, { headers })).status).toBe(422)
    expect((await capture(app, { ...once, text: 'y' }, { scope: 'again' })).deduplicated).toBe(true)
    const target_id = (first.body as Body).primary_record.id
    await capture(app, { target_id, outcome: 'success' }, { source_kind: 'outcome' })
    expect(model.requests).toHaveLength(1)
  })

  it('of a capture that is refused', async () => {
    const key = await app.issueKey(['records:write'], { scopes: ['mine'], max_sensitivity: 'low' })
    expect((await ask(app, { note: 'x' }, { scope: 'yours' }, { key })).status).toBe(403)
    expect((await ask(app, { note: 'x' }, { source_kind: 'working_state' })).status).toBe(422)
    expect(model.requests).toEqual([])
  })
})

async function expectDone(answer: Promise<Answer>): Promise<void> {
  expect((await answer).status).toBeLessThan(300)
}

describe('an entity that a model meant', () => {
  const goings: [string, (id: string, twin: string, scope: string) => Promise<unknown>][] = [
    ['is forgotten', (id) => forget(app, id)],
    ['is erased', (id) => erase(app, id)],
    [
      'becomes more sensitive',
      (id) => expectDone(app.request('PATCH', `/v1/records/${id}`, { body: { sensitivity: 'high' } })),
    ],
    [
      'is folded into its twin',
      (id, twin) => {
        const body = { source_ids: [id], actor: 'a', rationale: 'r' }
        return expectDone(app.request('POST', `/v1/entities/${twin}/merge`, { body }))
      },
    ],
  ]

  it.each(goings)('and that %s while it thinks is not linked', async (going, go) => {
    const scope = `gone ${going}`
    const [{ id }, twin] = [await entity('Altair', { scope }), await entity('Altair Nine', { scope })]
    model.behave(async (response, seen) => {
      await go(id, twin.id, scope)
      const target = { target_entity_id: id }
      const answer = {
        ...full({ surface: 'the star', canonical_entity_id: id }),
        relation_candidates: [{ predicate: 'orbits', ...target }],
      }
      return answering(answer)(response, seen)
    })
    const { primary_record: primary, edges } = await capture(app, { note: 'Altair is up' }, { scope })
    expect(asked()[0].known_entities.map((each: Body) => each.id)).toContain(id)
    expect(edges.map((edge: Body) => edge.target_id)).not.toContain(id)
    const [mention] = primary.interpretation.mentions
    expect(mention).toMatchObject({
      surface: 'the star',
      canonical_entity_id: expect.not.stringContaining(id),
    })
    expect(primary.interpretation.relation_candidates).toEqual([
      { predicate: 'orbits', confidence: 0.5, resolved: false },
    ])
    const linked = await read(app, mention.canonical_entity_id)
    expect(linked).toMatchObject({ type: 'entity', scope })
  })

  it('is linked when it stands', async () => {
    const { id } = await entity('Deneb', { scope: 'stands' })
    model.behave(inTurn(answering(full({ surface: 'it', canonical_entity_id: id }))))
    const answer = await capture(app, { note: 'Deneb is up' }, { scope: 'stands' })
    expect(answer.created_records).toHaveLength(1)
    expect(edgesOf(answer)).toContain('mentions_entity')
  })
})
