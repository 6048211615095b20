import { expect, it } from 'vitest'
import { longestQuery } from '../../../src/domain/words/text-query.ts'
import { readQuestionText } from '../../../src/retrieval/question/question-text.ts'

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ')

it('a leading minus excludes a word up to the limit of words, and not beyond', () => {
  const { query, included } = readQuestionText(`${words(longestQuery - 1)} -juice`)
  expect([query.excluded, included]).toEqual([['juice'], words(longestQuery - 1)])
  const longer = readQuestionText(`${words(longestQuery)} -juice`)
  expect([longer.query.excluded, longer.included.endsWith('-juice')]).toEqual([[], true])
})

it('the words that only ask for help count for the limit', () => {
  const { query, included, topic } = readQuestionText(`Can you recommend ${words(longestQuery - 3)} -juice`)
  expect([query.excluded, included.endsWith('-juice'), topic.endsWith('-juice')]).toEqual([[], true, true])
  expect(topic.startsWith('Can')).toBe(false)
})
