import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  buildMentionAnswer,
  type InterpretationApp,
  modelKey,
  startInterpretationApp,
} from '../support/apps/interpretation-app.ts'
import {
  type Behaviour,
  type ChatServer,
  flood,
  hangUp,
  neverRespond,
  respond,
  respondAfter,
  respondWithContent,
  respondWithJson,
  stallMidResponse,
} from '../support/models/chat-server.ts'
import { capture, postCapture, range } from '../support/requests/capture-requests.ts'
import { type Body, create, payloads } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'

/** Waits for the model no longer than this. */
let impatient: InterpretationApp
const waitMs = 200
let app: TestApp
let model: ChatServer
const reading = await startInterpretationApp()
beforeAll(async () => {
  impatient = await startInterpretationApp(waitMs)
  ;({ app, model } = reading)
})
afterAll(() => Promise.all([reading.close(), impatient.close()]))
beforeEach(() => reading.clearRequestsAndLogs())

const failures: [string, Behaviour, string, number?][] = [
  ['never answers', neverRespond, 'timeout'],
  ['answers too late', respondAfter(2 * waitMs, respondWithJson({ summary: 'late' })), 'timeout'],
  ['stops in the middle', stallMidResponse, 'timeout'],
  ['sends for ever', flood(Number.POSITIVE_INFINITY, { chunk: 1, pauseMs: 5 }), 'timeout'],
  ['sends too much', flood(30 * 1_024 * 1_024), 'invalid_answer'],
  ['hangs up', hangUp, 'unavailable'],
  ['is too busy', respond(429, { error: 'evidence' }, { 'retry-after': '1' }), 'rate_limited', 429],
  ['is broken', respond(500, { error: { message: 'evidence' } }), 'unavailable', 500],
  ['wants another key', respond(401, { error: { message: modelKey } }), 'refused', 401],
  ['answers in prose', respondWithContent('the evidence says so'), 'invalid_answer'],
  ['answers a list', respondWithJson([{ summary: 'evidence' }]), 'invalid_answer'],
  ['answers nothing', respondWithJson({}), 'invalid_answer'],
  ['answers in another shape', respondWithJson({ mentions: [{ name: 'evidence' }] }), 'invalid_answer'],
  ['is too sure', respondWithJson(buildMentionAnswer({ confidence: 7 })), 'invalid_answer'],
  ['names a type there is not', respondWithJson({ proposed_type: 'evidence' }), 'invalid_answer'],
]

describe('POST /v1/capture with a model that', () => {
  it.each(failures)(
    '%s falls back to the rule-based interpretation',
    async (_name, behaviour, reason, status) => {
      const { app, model, warnings } = reason === 'timeout' ? impatient : reading
      model.behave(behaviour)
      app.log.length = 0
      const answer = await postCapture(app, { note: 'the evidence', project: 'Faulty' })
      expect(answer.status).toBe(201)
      const { interpretation } = (answer.body as Body).primary_record
      expect(interpretation).toMatchObject({
        summary: 'Event.',
        topical_labels: [],
      })
      expect(interpretation.mentions).toMatchObject([{ surface: 'Faulty', entity_kind: 'Project' }])
      const [warning, ...more] = warnings()
      expect([warning.reason, warning.status, more]).toEqual([reason, status, []])
      expect(app.log.join('\n')).not.toMatch(/evidence|Faulty|sk-secret/)
    },
  )

  it('answers slowly delays only its own capture', async () => {
    const slow = await startInterpretationApp()
    const wakes = Promise.withResolvers<void>()
    slow.model.behave(async (response, seen) => {
      await wakes.promise
      await respondWithJson({ summary: 'at last' })(response, seen)
    })
    let done = 0
    const captures = range(10).map((n) => postCapture(slow.app, { note: `slow ${n}` }).finally(() => done++))
    await expect.poll(() => slow.model.requests).toHaveLength(10)
    const others = await Promise.all(range(10).map(() => slow.app.request('GET', '/v1/records?limit=1')))
    expect([new Set(others.map(({ status }) => status)), done]).toEqual([new Set([200]), 0])
    wakes.resolve()
    const answers = await Promise.all(captures)
    await slow.close()
    for (const { status, body } of answers) {
      expect([status, (body as Body).primary_record.interpretation.summary]).toEqual([201, 'at last'])
    }
  })
})

describe('POST /v1/capture with a model that invents ids', () => {
  it.each(['a name', 'a reference', 'a relation'])('ignores an unknown id in %s', async (place) => {
    const scope = `forged ${place}`
    const [elsewhere, confidential, unshown, record] = await Promise.all([
      reading.entity('Vega', { scope: 'elsewhere' }),
      reading.entity('Vega', { scope, sensitivity: 'high' }),
      reading.entity('Not named', { scope }),
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
        respondWithJson({
          ...(place === 'a name' ? buildMentionAnswer({ surface: 'Vega', canonical_entity_id: id }) : {}),
          ...(place === 'a reference' ? { reference_candidates: [{ ref: id, ...target }] } : {}),
          ...(place === 'a relation' ? { relation_candidates: [{ predicate: 'p', ...target }] } : {}),
        }),
      )
      const answer = await capture(app, { note: 'Vega rises' }, { scope, sensitivity: 'public' })
      expect(reading.warnings()).toEqual([])
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
