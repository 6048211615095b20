import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../support/files/foreign-files.ts'
import { exportLines, importLines } from '../../support/requests/export-and-import.ts'
import { type Body, create, fact, payloads } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
const target = (await create(app, fact())).id
afterAll(() => app.close())

const say = (more: object) => fact({ payload: { ...payloads.semantic, object: 'Rust', ...more } })
const backwards = { mode: 'timeboxed', start: '2026-02-01T00:00:00Z', end: '2026-01-01T00:00:00Z' }
const message = (id: string, more: object = {}) => ({
  type: 'episodic',
  payload: {
    ...payloads.episodic,
    conversation: { id, message_id: 'm1', role: 'user', at: '2026-01-01T00:00:00Z' },
  },
  ...more,
})
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at))

const refused: [string, () => object, string, string?][] = [
  [
    'more relations than one request may name',
    () => fact({ relations: times(10_001, (at) => ({ predicate: `p${at}`, target_id: target })) }),
    'validation_failed',
    '/relations',
  ],
  [
    'a validity that ends before it starts',
    () => say({ validity: backwards }),
    'validation_failed',
    '/payload/validity/end',
  ],
  [
    'a revision that was never made',
    () => say({ revision: { status: 'active', supersedes: target } }),
    'validation_failed',
    '/payload/revision',
  ],
  ...['.', '..'].map((id): (typeof refused)[number] => [
    `the conversation ${id}, which no URL can name`,
    () => message(id),
    'validation_failed',
    '/payload/conversation/id',
  ]),
  [
    'more than a body may hold',
    () => say({ object: times(106, () => 'x'.repeat(99_999)) }),
    'body_too_large',
  ],
  [
    'more values than a body may hold',
    () => say({ object: times(250_001, () => 1) }),
    'validation_failed',
    '',
  ],
]

describe('an import refuses a line without a history as a create would', () => {
  it.each(refused)('%s', async (_, make, code, pointer) => {
    const body = make()
    const created = (await app.request('POST', '/v1/records', { body })).body as Body
    const { reports } = await importLines(app, [body, fact()])
    for (const problem of [created, reports[0].problem]) {
      expect(problem).toMatchObject({ code })
      expect(problem.errors?.[0]?.pointer).toBe(pointer)
    }
    expect(reports).toMatchObject([{ status: 'invalid' }, { status: 'created' }])
  })
})

it('an export of an old release with such a fact is imported unchanged', async () => {
  const { id } = await create(
    app,
    say({ object: 'old', validity: { mode: 'timeboxed', end: backwards.end } }),
  )
  const { records } = await exportLines(app)
  const line = records.find((each) => each.id === id)
  const old = { ...line, id: app.ids.next(), payload: { ...line.payload, validity: backwards } }
  expect(listLineResults(await importLines(app, [old]))).toEqual(['1 created'])
  const again = await exportLines(app)
  expect(again.records.find((each) => each.id === old.id).payload.validity).toEqual(backwards)
})

it('an export of an old release with a conversation that no URL can name is imported unchanged', async () => {
  const { id } = await create(app, message('nameable'))
  const { records } = await exportLines(app)
  const line = records.find((each) => each.id === id)
  const conversation = { ...line.payload.conversation, id: '..' }
  const old = { ...line, id: app.ids.next(), payload: { ...line.payload, conversation } }
  expect(listLineResults(await importLines(app, [old]))).toEqual(['1 created'])
})

it('a message of another program is refused in a conversation that no URL can name', async () => {
  const session = (thread_id: string) =>
    JSON.stringify({ thread_id, messages: [{ uuid: 'm1', role: 'user', content: 'Hello' }] })
  const { reports } = await importFile(app, session('..'), { query: '?format=zep' })
  const message = 'the id of the conversation must not be . or .., which no URL can name'
  expect(reports).toMatchObject([{ status: 'invalid', problem: { errors: [{ message }] } }])
  expect((await importFile(app, session('...'), { query: '?format=zep' })).reports).toMatchObject([
    { status: 'created' },
  ])
})
