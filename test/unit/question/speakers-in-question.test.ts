import { describe, expect, it } from 'vitest'
import { listNamedSpeakers } from '../../../src/retrieval/question/speakers-in-question.ts'

const isNamedIn = (question: string, speaker: string) => listNamedSpeakers(question, [speaker]).has(speaker)

describe('a speaker is named in a question', () => {
  it.each([
    ['What are Ada’s hobbies?', 'Ada', true],
    ["what are ada's hobbies?", 'Ada', true],
    ['ada byron said what?', 'Ada Byron', true],
    ['What did Byron say?', 'Ada Byron', true],
    ['What did Bo say?', 'Ada', false],
    ['When does the project end?', 'Project Manager', false],
    ['What does the project manager want?', 'Project Manager', true],
    ['Which adapter is used?', 'Ada', false],
    ['Was hat Jürgen gesagt?', 'Jürgen', true],
    ['林晓喜欢什么？', '林晓', true],
    ['健太さんはどこで働いていますか', '健太', true],
    ['민수는 어디서 일하나요?', '민수', true],
    ['林先生喜欢什么？', '林晓', false],
    ['', 'Ada', false],
    ['What?', '…', false],
  ])('%j, of %j: %j', (question, speaker, isNamed) => {
    expect(isNamedIn(question, speaker)).toBe(isNamed)
  })

  it('by a role only with a capital inside', () => {
    expect(isNamedIn('How does a user sign in?', 'User')).toBe(false)
    expect(isNamedIn('What did User ask?', 'User')).toBe(true)
  })

  it.each([
    ['When will she arrive?', false],
    ['Will she arrive?', false],
    ['When does Will arrive?', true],
  ])('by a word that is common too only with a capital inside: %j is %j', (question, isNamed) => {
    expect(isNamedIn(question, 'Will')).toBe(isNamed)
  })
})
