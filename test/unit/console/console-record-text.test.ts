import { expect, it } from 'vitest'
import { toSentence, toText } from '../../../src/console/browser/parts/record-text.js'

const fact = (predicate: string) =>
  ({ kind: 'semantic', subject: 'tool_output', predicate, object: 'Redis was started.' }) as never

it.each([
  ['note', 'tool output: Redis was started.'],
  ['observed_in', 'tool output: Redis was started.'],
  ['says_that', 'tool_output says that Redis was started.'],
])('a fact with the predicate %s reads as a person would say it', (predicate, sentence) => {
  expect(toSentence(fact(predicate), 200)).toBe(sentence)
})

const note = (subject: string, object: string, scope?: string) =>
  toText({ payload: { kind: 'semantic', subject, predicate: 'note', object }, scope } as never)

it('a note is preceded by what it is about, if it does not name that itself', () => {
  expect(note('ada', 'Lives in Paris')).toBe('ada: Lives in Paris')
  expect(note('Ada', 'ada lives in Paris')).toBe('ada lives in Paris')
  expect(note('shop', 'It is open.', 'shop')).toBe('It is open.')
  expect(note('memory', 'It is open.')).toBe('It is open.')
  expect(note('01980000-0000-7000-8000-000000000001', 'It is open.')).toBe('It is open.')
})

it('a profile is not preceded by the id of its entity', () => {
  const subject = '01980000-0000-7000-8000-000000000001'
  const payload = { kind: 'semantic', subject, predicate: 'profile', object: 'Ada is a poet.' } as const
  expect(toSentence(payload as never, 200)).toBe('profile: Ada is a poet.')
  expect(toSentence({ ...payload, predicate: 'lives_in' } as never, 200)).toContain(subject)
})

it('a message without a text says which tools it calls and what they returned', () => {
  const message = { event_kind: 'message', ref: 'conversation:c#m' }
  const say = (timeline: object, tool_graph: object[]) =>
    toText({
      payload: { kind: 'episodic', conversation: { id: 'c' }, timeline: [timeline], tool_graph },
    } as never)
  expect(say(message, [{ tool: 'psql', result: '3 rows' }])).toBe('psql → 3 rows')
  expect(say({ ...message, summary: 'I look.' }, [{ tool: 'bash', args: {} }])).toBe('I look. · bash')
  expect(say(message, [])).toBe('message')
})
