import { afterAll, expect, it } from 'vitest'
import { createSessionEnder } from '../support/processes/end-session.ts'
import {
  capture,
  captureFact,
  countTableRows,
  postCapture,
  readAllRows,
  triple,
} from '../support/requests/capture-requests.ts'
import { expectProblem } from '../support/requests/record-requests.ts'
import { revise } from '../support/requests/revision-requests.ts'
import { type Answer, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
const sessionEnder = createSessionEnder(app)
afterAll(() => app.close())

type Headers = Record<string, string>
type Case = { name: string; prepare(): Promise<(headers: Headers) => Promise<Answer>> }

const captureLater =
  (content: object, scope: string, kind = 'observation') =>
  (headers: Headers) =>
    postCapture(app, content, { source_kind: kind, scope }, { headers })

/** A fact exists, and a second one confirms or contradicts it. */
const buildFactCase = (name: string, object: unknown, policy: string, withdrawn = false): Case => ({
  name,
  prepare: async () => {
    const { fact } = await captureFact(app, triple('linux', { revision_policy: policy }), { scope: name })
    if (withdrawn) await revise(app, 'retract', fact.record_id)
    return captureLater(triple(object, { ref: 'r', user: 'New' }), name)
  },
})

const cases: Case[] = [
  {
    name: 'new',
    prepare: async () => {
      const { primary_record: older } = await capture(app, 'older', { scope: 'new' })
      return captureLater(triple('linux', { ref: 'r', user: ['A', 'B'], record_id: older.id }), 'new')
    },
  },
  buildFactCase('confirming', 'linux', 'contest'),
  buildFactCase('replacing', 'windows', 'replace'),
  buildFactCase('forking', 'windows', 'fork'),
  buildFactCase('contesting', 'windows', 'contest'),
  buildFactCase('challenging', 'linux', 'contest', true),
  {
    name: 'a new task',
    prepare: async () => captureLater({ thread_id: 't', user: 'A' }, 'a new task', 'working_state'),
  },
  {
    name: 'a task that goes on',
    prepare: async () => {
      await captureLater({ thread_id: 't' }, 'a task that goes on', 'working_state')({})
      const next = { thread_id: 't', state: 'done', user: 'A', ref: 'r' }
      return captureLater(next, 'a task that goes on', 'working_state')
    },
  },
  {
    name: 'an outcome',
    prepare: async () => {
      const { primary_record: episode } = await capture(app, 'episode', { scope: 'an outcome' })
      return captureLater({ target_id: episode.id, outcome: 'success', ref: 'r' }, 'an outcome', 'outcome')
    },
  },
]

it.each(cases)(
  'rolls a capture ($name) back completely when the database session ends before any of its statements',
  async (one) => {
    const send = await one.prepare()
    const headers = { 'idempotency-key': one.name.replaceAll(' ', '-') }
    const before = await readAllRows(app)
    let deaths = 0
    for (;;) {
      const { result, statements } = await sessionEnder.count(() => send(headers), deaths + 1)
      if (statements <= deaths) {
        expect(result.status, result.text).toBe(201)
        break
      }
      expectProblem(result, 503, 'database_unavailable')
      expect(await readAllRows(app)).toEqual(before)
      deaths++
    }
    expect(deaths).toBeGreaterThanOrEqual(7)
    const after = await countTableRows(app)
    expect(await readAllRows(app)).not.toEqual(before)
    const { result } = await sessionEnder.count(() => send(headers))
    expect(result.headers.get('idempotency-replayed')).toBe('true')
    expect(await countTableRows(app)).toEqual(after)
  },
)
