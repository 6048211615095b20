import { afterAll, describe, expect, it } from 'vitest'
import { capture } from '../../support/requests/capture-requests.ts'
import { askContext } from '../../support/requests/prompt-context-requests.ts'
import { type Body, create } from '../../support/requests/record-requests.ts'
import { retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../support/test-app.ts'
import { listRecordLines } from '../../support/texts/prompt-lines.ts'

const app = await startTestApp()
afterAll(() => app.close())

const episode = (t: string, summary: string, more: object = {}) => ({
  type: 'episodic',
  payload: { kind: 'episodic', timeline: [{ t, event_kind: 'e', ref: 'r', summary }] },
  ...more,
})
const fact = (object: string, timestamps: readonly string[], more: object = {}) => ({
  type: 'semantic',
  payload: {
    kind: 'semantic',
    subject: 'Lena',
    predicate: 'works at',
    object,
    evidence: timestamps.map((timestamp) => ({ source_type: 'event', source_id: 'x', timestamp })),
  },
  ...more,
})

describe('the date of a line', () => {
  it('is the time when it happened, which is also the order of what happened', async () => {
    const scope = 'happened'
    await capture(app, 'walrus of May', { scope, timestamp: '2025-05-05T10:00:00Z' })
    await capture(app, 'walrus of February', { scope, timestamp: '2025-02-03T10:00:00Z' })
    await create(app, episode('1950-01-01T00:00:00Z', 'walrus of old', { scope }))
    await create(app, episode('1869-01-01T00:00:00Z', 'walrus of long ago', { scope }))
    await create(app, episode('2024-07-01T23:00:00-05:00', 'walrus of July', { scope }))
    await create(app, episode('2024-07-02T00:00:00+15:00', 'walrus of the day before', { scope }))
    expect(listRecordLines(await askContext(app, scope, { task_descriptor: 'walrus' }))).toEqual([
      '1869-01-01 walrus of long ago',
      '1950-01-01 walrus of old',
      '2024-07-01 walrus of the day before',
      '2024-07-02 walrus of July',
      '2025-02-03 event: walrus of February',
      '2025-05-05 event: walrus of May',
    ])
  })

  it('is that of the first evidence of a fact, but never after its record was stored', async () => {
    const scope = 'stated'
    const now = app.clock.now().toISOString()
    await create(app, fact('Initech', ['2019-01-01T12:00:00Z', now], { scope }))
    const body = { text: 'Lena likes tea', scope, occurred_at: '2020-02-02T12:00:00Z' }
    await app.request('POST', '/v1/remember', { body })
    await create(app, fact('tea', ['2099-01-01T12:00:00Z'], { scope }))
    const lines = listRecordLines(await askContext(app, scope, { task_descriptor: 'Lena tea Initech' }))
    expect(lines.map((line) => line.slice(0, 10)).sort()).toEqual([
      '2019-01-01',
      '2020-02-02',
      now.slice(0, 10),
    ])
  })

  it('orders facts in dispute by when they were stated', async () => {
    const scope = 'disputed'
    await create(app, fact('Acme', ['2025-06-01T12:00:00Z'], { scope }))
    await create(app, fact('Initech', ['2019-01-01T12:00:00Z'], { scope }))
    expect(listRecordLines(await askContext(app, scope, { task_descriptor: 'Initech' }))).toEqual([
      '2025-06-01 (disputed) Lena works at Acme',
      '2019-01-01 (disputed) Lena works at Initech',
    ])
  })

  it('keeps the order of messages that were sent at once', async () => {
    const scope = 'at-once'
    const say = (word: string, more: object = {}) =>
      Array.from({ length: 12 }, (_, at) => ({ role: 'user', content: `walrus ${word} ${at}`, ...more }))
    const early = say('early', { at: '2025-01-01T00:00:00Z' })
    const late = say('late')
    for (const messages of [early, late])
      await app.request('POST', '/v1/conversations/talk/messages', { body: { scope, messages } })
    const lines = listRecordLines(await askContext(app, scope, { task_descriptor: 'walrus', root_limit: 50 }))
    expect(lines.map((line) => line.replace(/^\S+ user: /, ''))).toEqual(
      [...early, ...late].map(({ content }) => content),
    )
  })
})

describe('a question that names a time', () => {
  it('prefers what happened or was stated then', async () => {
    const scope = 'asked'
    const timestamp = '2025-05-05T10:00:00Z'
    const event = await capture(app, 'the walrus slept', { scope, timestamp })
    const old = await create(app, episode('2025-05-06T00:00:00+15:00', 'the walrus sang', { scope }))
    const told = await create(app, fact('the walrus house', [timestamp], { scope }))
    const other = await create(app, episode('2025-06-06T00:00:00Z', 'the walrus sat', { scope }))
    const body = { task_descriptor: 'walrus in May 2025', scopes: [scope], explain: true }
    const { nodes } = await retrieve(app, body)
    const factors = new Map(nodes.map(({ record, signals }: Body) => [record.id, signals.time_factor]))
    const ids = [event.primary_record.id, old.id, told.id, other.id]
    expect(ids.map((id) => factors.get(id))).toEqual([1.5, 1.5, 1.5, 1])
  })
})
