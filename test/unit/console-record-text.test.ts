import { expect, it } from 'vitest'
import { toSentence } from '../../src/console/browser/parts/record-text.js'

const fact = (predicate: string) =>
  ({ kind: 'semantic', subject: 'tool_output', predicate, object: 'Redis was started.' }) as never

it.each([
  ['note', 'Redis was started.'],
  ['observed_in', 'tool output: Redis was started.'],
  ['says_that', 'tool_output says that Redis was started.'],
])('a fact with the predicate %s reads as a person would say it', (predicate, sentence) => {
  expect(toSentence(fact(predicate), 200)).toBe(sentence)
})
