import { afterAll, expect, it } from 'vitest'
import { range } from '../support/requests/capture-requests.ts'
import { type Body, create, expectProblem, pointersOf, read } from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const remember = (body: object, options: RequestOptions = {}) =>
  app.request('POST', '/v1/remember', { ...options, body })

async function store(body: object, options: RequestOptions = {}): Promise<Body> {
  const answer = await remember(body, options)
  expect(answer.status).toBe(201)
  return answer.body
}

const entity = (name: string, more: object = {}) =>
  create(app, {
    type: 'entity',
    payload: { kind: 'entity', canonical_name: name, primary_type: 'Service' },
    ...more,
  })

const edgesOf = ({ relations }: Body) =>
  relations.map(({ predicate, target_id }: Body) => [predicate, target_id])

it('stores a text as a fact with the key as its evidence, and answers where it is', async () => {
  const text = 'We deploy on Thursdays.'
  const answer = await remember({
    text,
    scope: 'ops',
    tags: ['deploys'],
    occurred_at: '2026-01-02T03:04:05.000Z',
  })
  expect(answer.status).toBe(201)
  const record = answer.body as Body
  expect(answer.headers.get('location')).toBe(`/v1/records/${record.id}`)
  expect(answer.headers.get('etag')).toBe('"1"')
  expect(record).toMatchObject({
    type: 'semantic',
    scope: 'ops',
    tags: ['deploys'],
    status: 'active',
    payload: {
      subject: 'ops',
      predicate: 'note',
      object: text,
      evidence: [{ source_type: 'human', source_id: 'key:root', timestamp: '2026-01-02T03:04:05.000Z' }],
    },
    provenance: { sources: [{ kind: 'event', ref: 'api:root' }] },
    audit_log: [{ action: 'create', actor: 'root', rationale: 'remembered' }],
  })
  expect(record.created_at).toBe(app.clock.now().toISOString())
  expect(await read(app, record.id)).toEqual(record)
})

it('answers the same text of the same key with the first record, whatever its case and spacing', async () => {
  const first = await store({ text: 'Port 8443 is taken.', scope: 'repeats' })
  const again = await remember({ text: '  port 8443\n is TAKEN.', scope: 'repeats', about: 'ports' })
  expect(again).toMatchObject({ status: 200, body: { id: first.id, version: 1 } })
  const elsewhere = await store({ text: 'Port 8443 is taken.', scope: 'repeats elsewhere' })
  const other = await store({ text: 'Port 8444 is taken.', scope: 'repeats' })
  expect(new Set([first.id, elsewhere.id, other.id]).size).toBe(3)
})

it('confirms the record when another key says the same, once for each key', async () => {
  const write = () => app.issueKey(['records:write', 'records:read'], { scopes: ['confirmed'] })
  const one = await write()
  const other = await write()
  const first = await store({ text: 'The cache is warm.' }, { key: one })
  const confirmed = await remember({ text: 'The cache is warm.' }, { key: other })
  expect(confirmed).toMatchObject({ status: 200, body: { id: first.id, version: 2, confirmation_count: 1 } })
  expect((confirmed.body as Body).payload.evidence).toHaveLength(2)
  const again = await remember({ text: 'The cache is warm.' }, { key: other })
  expect(again).toMatchObject({ status: 200, body: { id: first.id, version: 2, confirmation_count: 1 } })
})

it('creates one record when the same text is sent many times at once', async () => {
  const keys = await Promise.all(range(4).map(() => app.issueKey(['records:write'], { scopes: ['race'] })))
  const answers = await Promise.all(
    range(40).map((n) => remember({ text: 'Only once.' }, { key: keys[n % 4] ?? '' })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(39)
  const [id, ...others] = new Set(answers.map(({ body }): string => (body as Body).id))
  expect(others).toEqual([])
  expect(await read(app, id ?? '')).toMatchObject({ confirmation_count: 3, version: 4 })
})

it('takes the first known entity that the text names as the subject, and links the others', async () => {
  const scope = 'named'
  const gateway = await entity('Payment Gateway', { scope })
  const ledger = await entity('Ledger', { scope })
  const note = await store({ text: 'Restart the payment gateway before the ledger, not after.', scope })
  expect(note.payload.subject).toBe('Payment Gateway')
  expect(edgesOf(note).sort()).toEqual(
    [
      ['mentions_entity', ledger.id],
      ['subject_entity', gateway.id],
    ].sort(),
  )
  const about = await store({ text: 'Needs a restart of the payment gateway.', about: 'ledger', scope })
  expect(about.payload.subject).toBe('ledger')
  expect(edgesOf(about)).toContainEqual(['subject_entity', ledger.id])
  const unknown = await store({ text: 'Ask about the ledger first.', about: 'accounting', scope })
  expect(unknown.payload.subject).toBe('accounting')
  expect(edgesOf(unknown)).toEqual([['mentions_entity', ledger.id]])
})

it('names and links no entity that a reader of the note may not see', async () => {
  const scope = 'secret names'
  await entity('Project Umbra', { scope, sensitivity: 'high' })
  await entity('Zephyr', { scope: 'another scope' })
  const note = await store({ text: 'Project Umbra and Zephyr start in May.', scope })
  expect(note.payload.subject).toBe(scope)
  expect(note.relations).toEqual([])
})

it('keeps notes of different sensitivity apart, so that a repetition tells nothing of a hidden note', async () => {
  const hidden = await store({ text: 'The safe is open.', scope: 'apart', sensitivity: 'high' })
  const low = await app.issueKey(['records:write'], { scopes: ['apart'], max_sensitivity: 'low' })
  const answer = await remember({ text: 'The safe is open.' }, { key: low })
  expect(answer.status).toBe(201)
  expect((answer.body as Body).id).not.toBe(hidden.id)
  expectProblem(await remember({ text: 'x', sensitivity: 'high' }, { key: low }), 403, 'outside_trust')
  expectProblem(await remember({ text: 'x', scope: 'other' }, { key: low }), 403, 'outside_trust')
})

it('stores a text that was retracted as challenged, and that again unchanged', async () => {
  const note = await store({ text: 'The moon is cheese.', scope: 'withdrawn' })
  const reason = { actor: 'test', rationale: 'not true' }
  expect((await app.request('POST', `/v1/records/${note.id}/retract`, { body: reason })).status).toBe(200)
  const again = await store({ text: 'the moon is cheese.', scope: 'withdrawn' })
  expect(again).toMatchObject({ status: 'challenged' })
  expect(again.id).not.toBe(note.id)
  const third = await remember({ text: 'The moon is cheese.', scope: 'withdrawn' })
  expect(third).toMatchObject({ status: 200, body: { id: again.id } })
})

it('does not dispute one note about a subject by another', async () => {
  const scope = 'undisputed'
  await store({ text: 'Falcon needs two replicas in production.', about: 'falcon', scope })
  await store({ text: 'Falcon logs to standard output in production.', about: 'falcon', scope })
  const { body } = await app.request('POST', '/v1/context', {
    body: { task_descriptor: 'falcon in production', scopes: [scope], record_access: false },
  })
  expect((body as Body).text).toContain('two replicas')
  expect((body as Body).text).toContain('standard output')
  expect((body as Body).text).not.toContain('disputed')
})

it('refuses a blank text, a time in the future, unknown fields and a key that may not write', async () => {
  const blank = await remember({ text: ' \n' })
  expect(pointersOf(blank)).toEqual(['/text'])
  expectProblem(blank, 422, 'validation_failed')
  const future = await remember({ text: 'x', occurred_at: '2999-01-01T00:00:00.000Z' })
  expect(pointersOf(future)).toEqual(['/occurred_at'])
  expectProblem(await remember({ text: 'x', subject: 'y' }), 422, 'validation_failed')
  const reader = await app.issueKey(['records:read'])
  expectProblem(await remember({ text: 'x' }, { key: reader }), 403, 'forbidden')
  expectProblem(await remember({ text: 'x' }, { key: false }), 401, 'unauthenticated')
})

it('answers a key without records:read with the id and version alone', async () => {
  const writer = await app.issueKey(['records:write'])
  const answer = await remember({ text: 'Written blind.', scope: 'blind' }, { key: writer })
  expect(Object.keys(answer.body as Body).sort()).toEqual(['id', 'version'])
})

it('answers the same text with and without a full stop with one record, but not a question', async () => {
  const scope = 'full stops'
  for (const ends of [
    ['.', '', '!', '…', '...', ' .'],
    ['', '.', '。'],
    ['!', '.', ''],
  ]) {
    const text = `The lamp ${ends.join(' then ')} is on`
    const first = await store({ text: `${text}${ends[0]}`, scope })
    for (const end of ends) {
      const again = await remember({ text: `${text}${end}`, scope })
      expect(again, end).toMatchObject({ status: 200, body: { id: first.id, version: 1 } })
    }
    await store({ text: `${text}?`, scope })
  }
})

it('stores a text once that is sent at once with and without a full stop', async () => {
  const texts = range(8).map((index) => ({ text: `The door is shut${index % 2 ? '.' : ''}`, scope: 'doors' }))
  const answers = await Promise.all(texts.map((text) => remember(text)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(new Set(answers.map(({ body }) => (body as Body).id)).size).toBe(1)
})

it('holds a text for review that was withdrawn with a full stop', async () => {
  const { id } = await store({ text: 'The safe is open.', scope: 'safes' })
  const body = { actor: 'desk', rationale: 'wrong' }
  expect((await app.request('POST', `/v1/records/${id}/retract`, { body })).status).toBe(200)
  expect(await store({ text: 'The safe is open', scope: 'safes' })).toMatchObject({ status: 'challenged' })
})
