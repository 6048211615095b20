import { afterAll, describe, expect, it } from 'vitest'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
} from '../support/requests/record-requests.ts'
import { auditFields, revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const region = { ...payloads.semantic, subject: 'shop-api', predicate: 'is deployed to', object: 'Paris' }
const createRegion = (more: object = {}) => create(app, fact({ payload: region, ...more }))
const text = 'shop-api is deployed to Dublin.'

describe('a fact that is superseded by a text', () => {
  it('keeps its subject, scope and tags, and says the text once', async () => {
    const old = await createRegion({ scope: 'team', tags: ['infra'] })
    const occurred_at = new Date(app.clock.now().getTime() - 60_000).toISOString()
    const { status, body } = await revise(app, 'supersede', old.id, { text, occurred_at, source_type: 'ai' })
    const { record, sources } = body as Body
    expect(status).toBe(201)
    expect(sources).toEqual([{ id: old.id, version: 2 }])
    expect(await read(app, record.id)).toMatchObject({
      scope: 'team',
      tags: ['infra'],
      source_type: 'ai',
      payload: {
        subject: 'shop-api',
        predicate: 'is deployed to',
        object: 'Dublin',
        evidence: [{ timestamp: occurred_at }],
        revision: { supersedes: old.id },
      },
    })
  })

  it('is a note if the text is another sentence', async () => {
    const old = await createRegion()
    const moved = 'The region of shop-api is now Rome.'
    const { record } = (await revise(app, 'supersede', old.id, { text: moved })).body as Body
    expect(record.payload).toMatchObject({ subject: 'shop-api', predicate: 'note', object: moved })
  })

  it('is linked to the entities that the text names', async () => {
    const payload = { ...payloads.entity, canonical_name: 'Dublin' }
    const city = await create(app, { type: 'entity', payload })
    const { record } = (await revise(app, 'supersede', (await createRegion()).id, { text })).body as Body
    expect(record.relations).toContainEqual(
      expect.objectContaining({ predicate: 'mentions_entity', target_id: city.id }),
    )
  })

  it('has one successor of several texts at once', async () => {
    const old = await createRegion()
    const cities = ['Rome', 'Oslo', 'Bern', 'Cork']
    const answers = await Promise.all(
      cities.map((city) => revise(app, 'supersede', old.id, { text: `shop-api is deployed to ${city}` })),
    )
    const stored = answers.filter(({ status }) => status === 201).map(({ body }) => (body as Body).record.id)
    expect(stored).toHaveLength(1)
    const refusal = { status: 409, code: 'already_superseded', superseded_by: stored[0] }
    for (const { status, body } of answers) if (status !== 201) expect(body).toMatchObject(refusal)
    expect((await read(app, old.id)).version).toBe(2)
  })

  it('is not refused because the fact is reinforced at the same moment', async () => {
    const facts = await Promise.all(Array.from({ length: 10 }, () => createRegion()))
    const answers = await Promise.all(
      facts.flatMap(({ id }) => [
        app.request('POST', '/v1/records/reinforce', { body: { ids: [id], ...auditFields } }),
        revise(app, 'supersede', id, { text }),
        app.request('POST', '/v1/records/reinforce', { body: { ids: [id], ...auditFields } }),
      ]),
    )
    expect(answers.filter((_, index) => index % 3 === 1).map(({ status }) => status)).toEqual(
      facts.map(() => 201),
    )
  })

  it.each<[string, object, string]>([
    ['nothing', {}, '/record'],
    ['a record and a text', { record: fact({ payload: region }), text }, '/record'],
    [
      'a record and a time',
      { record: fact({ payload: region }), occurred_at: '2026-01-01T00:00:00Z' },
      '/occurred_at',
    ],
    ['a record and a source', { record: fact({ payload: region }), source_type: 'ai' }, '/source_type'],
    ['a text of spaces', { text: '  ' }, '/text'],
    ['a time to come', { text, occurred_at: '2999-01-01T00:00:00Z' }, '/occurred_at'],
  ])('is refused with %s', async (_, given, pointer) => {
    const old = await createRegion()
    const answer = await revise(app, 'supersede', old.id, given)
    expectProblem(answer, 422, 'validation_failed')
    expect((answer.body as Body).errors[0].pointer).toBe(pointer)
    expect((await read(app, old.id)).version).toBe(1)
  })

  it('is refused for a record of another type, and for another version', async () => {
    const entity = await create(app, { type: 'entity', payload: payloads.entity })
    expectProblem(await revise(app, 'supersede', entity.id, { text }), 409, 'type_mismatch')
    const episode = await create(app, { type: 'episodic', payload: payloads.episodic })
    expectProblem(await revise(app, 'supersede', episode.id, { text }), 409, 'episodic_immutable')
    const old = await createRegion()
    const path = `/v1/records/${old.id}/supersede`
    const headers = { 'if-match': '"7"' }
    expect((await app.request('POST', path, { headers, body: { text, ...auditFields } })).status).toBe(412)
  })
})
