import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildMentionAnswer, startInterpretationApp } from '../support/apps/interpretation-app.ts'
import { type ChatServer, respondWithJson } from '../support/models/chat-server.ts'
import { capture, erase, forget, listPredicates } from '../support/requests/capture-requests.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import type { Answer, TestApp } from '../support/test-app.ts'

let app: TestApp
let model: ChatServer
const reading = await startInterpretationApp()
beforeAll(async () => {
  ;({ app, model } = reading)
})
afterAll(() => reading.close())
beforeEach(() => reading.clearRequestsAndLogs())

async function expectDone(answer: Promise<Answer>): Promise<void> {
  expect((await answer).status).toBeLessThan(300)
}

describe('an entity that the model names in its answer', () => {
  const changes: [string, (id: string, otherId: string, scope: string) => Promise<unknown>][] = [
    ['is forgotten', (id) => forget(app, id)],
    ['is erased', (id) => erase(app, id)],
    [
      'becomes more sensitive',
      (id) => expectDone(app.request('PATCH', `/v1/records/${id}`, { body: { sensitivity: 'high' } })),
    ],
    [
      'is merged into another',
      (id, otherId) => {
        const body = { source_ids: [id], actor: 'a', rationale: 'r' }
        return expectDone(app.request('POST', `/v1/entities/${otherId}/merge`, { body }))
      },
    ],
  ]

  it.each(changes)('is not linked when it %s during the model call', async (change, applyChange) => {
    const scope = `gone ${change}`
    const [{ id }, other] = [
      await reading.entity('Altair', { scope }),
      await reading.entity('Altair Nine', { scope }),
    ]
    model.behave(async (response, seen) => {
      await applyChange(id, other.id, scope)
      const target = { target_entity_id: id }
      const answer = {
        ...buildMentionAnswer({ surface: 'the star', canonical_entity_id: id }),
        relation_candidates: [{ predicate: 'orbits', ...target }],
      }
      return respondWithJson(answer)(response, seen)
    })
    const { primary_record: primary, edges } = await capture(app, { note: 'Altair is up' }, { scope })
    expect(reading.readPrompts()[0].known_entities.map((each: Body) => each.id)).toContain(id)
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

  it('is linked when it still exists', async () => {
    const { id } = await reading.entity('Deneb', { scope: 'stands' })
    model.behave(respondWithJson(buildMentionAnswer({ surface: 'it', canonical_entity_id: id })))
    const answer = await capture(app, { note: 'Deneb is up' }, { scope: 'stands' })
    expect(answer.created_records).toHaveLength(1)
    expect(listPredicates(answer)).toContain('mentions_entity')
  })
})
