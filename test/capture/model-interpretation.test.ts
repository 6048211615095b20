import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startInterpretationApp } from '../support/apps/interpretation-app.ts'
import {
  type ChatServer,
  refuseSchemas,
  respondWithContent,
  respondWithJson,
} from '../support/models/chat-server.ts'
import { capture, postCapture } from '../support/requests/capture-requests.ts'
import { type Body, create, payloads } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'

let app: TestApp
let model: ChatServer
const reading = await startInterpretationApp()
beforeAll(async () => {
  ;({ app, model } = reading)
})
afterAll(() => reading.close())
beforeEach(() => reading.clearRequestsAndLogs())

describe('POST /v1/capture with a model', () => {
  it('merges the model answer into the interpretation and creates entities for its mentions', async () => {
    const scope = 'answers'
    const { id } = await reading.entity('Orion', { scope })
    model.behave(
      respondWithContent(
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
    const [primary, ...created] = answer.created_records
    expect(primary.interpretation).toMatchObject({
      status: 'resolved',
      summary: 'Ada moved the satellite to Go.',
      topical_labels: ['languages'],
      mentions: [
        { surface: 'the satellite', canonical_entity_id: id },
        { surface: 'Ada', canonical_entity_id: created[0].id },
      ],
      extraction_confidence: 0.8,
    })
    expect(created.map(({ payload }: Body) => payload.canonical_name)).toEqual(['Ada'])
    expect(answer.edges).toContainEqual(
      expect.objectContaining({ source_id: primary.id, predicate: 'mentions_entity', target_id: id }),
    )
    expect(reading.warnings()).toEqual([])
  })

  it('sends the model the entities that the content names and the records it refers to', async () => {
    const scope = 'shown'
    const [orion, apollo, other] = await Promise.all([
      reading.entity('Orion Deploy Tool', { scope }),
      reading.entity('Apollo'),
      reading.entity('Unnamed', { scope }),
    ])
    model.behave(respondWithJson({ summary: 'The tests were red.' }))
    const earlier = await capture(app, { text: 'the tests were red' }, { scope })
    const fact = await create(app, { type: 'semantic', payload: payloads.semantic, scope })
    model.requests.length = 0
    model.behave(respondWithJson({ summary: 'x' }))
    const refs = { earlier_ref: earlier.primary_record.id, fact_record_id: fact.id.toUpperCase() }
    await capture(app, { text: 'Ran the orion deploy tool, again.', project: 'APOLLO', ...refs }, { scope })
    const [{ known_entities: entities, known_records: records }] = reading.readPrompts()
    expect(entities.map(({ id }: Body) => id)).toEqual([apollo.id, orion.id])
    expect(entities[0]).toEqual({ id: apollo.id, name: 'Apollo', kind: 'Project', aliases: [] })
    expect(new Map(records.map(({ id, summary }: Body) => [id, summary]))).toEqual(
      new Map([
        [earlier.primary_record.id, 'The tests were red.'],
        [fact.id, 'object: Go, subject: user, predicate: prefers'],
      ]),
    )
    expect(JSON.stringify(reading.readPrompts())).not.toContain(other.id)
  })

  it('repeats the request without a schema when the model refuses schemas', async () => {
    model.behave(refuseSchemas(400, respondWithJson({ summary: 'as told' })))
    const { primary_record: primary } = await capture(app, { note: 'x' })
    expect(primary.interpretation.summary).toBe('as told')
  })
})

describe('POST /v1/capture does not call the model', () => {
  it('for content above the sensitivity that the model may read', async () => {
    model.behave(respondWithJson({ summary: 'guessed' }))
    for (const sensitivity of ['medium', 'high', 'hyper']) {
      const { primary_record: primary } = await capture(app, { note: 'x' }, { sensitivity })
      expect(primary.interpretation.summary).toBe('Event.')
    }
    expect(model.requests).toEqual([])
    expect(reading.warnings()).toEqual([])
  })

  it('with names and records of higher sensitivity or of another scope', async () => {
    const scope = 'ceiling'
    const hidden = await Promise.all([
      reading.entity('Sirius', { scope, sensitivity: 'medium' }),
      reading.entity('Sirius', { scope: 'other' }),
      create(app, { type: 'semantic', payload: payloads.semantic, scope, sensitivity: 'high' }),
      create(app, { type: 'semantic', payload: payloads.semantic, scope: 'other' }),
    ])
    const shown = await reading.entity('Sirius', { scope, sensitivity: 'public' })
    model.behave(respondWithJson({ summary: 'x' }))
    const refs = hidden.map(({ id }) => id)
    await capture(app, { note: 'Sirius', project: 'Sirius', refs }, { scope, sensitivity: 'public' })
    const [{ known_entities: entities, known_records: records }] = reading.readPrompts()
    expect(entities.map(({ id }: Body) => id)).toEqual([shown.id])
    expect(records).toEqual([])
  })

  it('with a task of higher sensitivity', async () => {
    const options = { source_kind: 'working_state', scope: 'tasks' }
    const task = { thread_id: 't', state: 'executing' }
    model.behave(respondWithJson({ summary: 'x' }))
    await capture(app, task, { ...options, sensitivity: 'high' })
    await capture(app, task, options)
    expect(model.requests).toEqual([])
    await capture(app, { ...task, thread_id: 't2' }, options)
    expect(model.requests).toHaveLength(1)
  })

  it('for an outcome or a repeated capture', async () => {
    model.behave(respondWithJson({ summary: 'x' }))
    const headers = { 'idempotency-key': 'read once' }
    const once = { ref: 'once', text: 'x' }
    const first = await postCapture(
      app,
      once,
      { scope: 'again' },
      { headers: { 'idempotency-key': 'read-once' } },
    )
    expect([first.status, model.requests.length]).toEqual([201, 1])
    const replay = await postCapture(
      app,
      once,
      { scope: 'again' },
      { headers: { 'idempotency-key': 'read-once' } },
    )
    expect([replay.headers.get('idempotency-replayed'), replay.text]).toEqual(['true', first.text])
    expect((await postCapture(app, once, { scope: 'again' }, { headers })).status).toBe(422)
    expect((await capture(app, { ...once, text: 'y' }, { scope: 'again' })).deduplicated).toBe(true)
    const target_id = (first.body as Body).primary_record.id
    await capture(app, { target_id, outcome: 'success' }, { source_kind: 'outcome' })
    expect(model.requests).toHaveLength(1)
  })

  it('for a capture that is refused', async () => {
    const key = await app.issueKey(['records:write'], { scopes: ['mine'], max_sensitivity: 'low' })
    expect((await postCapture(app, { note: 'x' }, { scope: 'yours' }, { key })).status).toBe(403)
    expect((await postCapture(app, { note: 'x' }, { source_kind: 'working_state' })).status).toBe(422)
    expect(model.requests).toEqual([])
  })
})
