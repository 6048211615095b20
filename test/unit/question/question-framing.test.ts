import { describe, expect, it } from 'vitest'
import { dropFraming } from '../../../src/retrieval/question/question-framing.ts'
import { readQuestionText } from '../../../src/retrieval/question/question-text.ts'

describe('a question without the words around it', () => {
  it.each([
    'Hey, quick question: where does Ada live?',
    'Good morning! I was wondering, where does Ada live?',
    "I'm just curious, where does Ada live?",
    'Do you happen to remember this? Where does Ada live? Thanks a lot!',
    'Please look in your memory and answer: where does Ada live?',
    'Where does Ada live? Answer in one short sentence.',
    'Where does Ada live? Please reply only with yes or no.',
    'Based on our previous conversation, where does Ada live?',
    'According to my earlier notes, where does Ada live?',
    'The user wants to know where does Ada live?',
    "I'm trying to remember where does Ada live?",
    'Please find out, where does Ada live?',
    'Using the conversation history, answer the following question as briefly as you can. Question: where does Ada live?',
  ])('is the rest of %j', (text) => {
    expect(dropFraming(text).toLowerCase()).toBe('where does ada live?')
  })

  it.each([
    ['Is it true that Ada moved to Rome?', 'Ada moved to Rome?'],
    ['True or false: Ada moved to Rome', 'Ada moved to Rome'],
    ['How many times has Ada been to Rome?', 'how has Ada been to Rome?'],
    ['When was the last time Ada saw Bo Li?', 'when Ada saw Bo Li?'],
  ])('is of %j only what happened', (text, asked) => expect(dropFraming(text)).toBe(asked))

  it.each([
    'Hello',
    'Thanks a lot!',
    'Answer the mail of Ada about refunds',
    'Reply to Ada. Deploy the shop.',
    'Search the history of Rome',
    'What is in my notes about Rome?',
    'What did Ada answer when Bo asked for the history?',
    'How do we use the context API in React?',
    'Do you remember the name of my dog?',
    'Find the car of Ada',
    'I asked Ada what she bought',
  ])('is all of %j', (text) => expect(dropFraming(text)).toBe(text))

  it('is read as a question where its end was thanks or an instruction', () => {
    const { query } = readQuestionText('Who wrote "Still Water"? Answer in one word. Thanks!')
    expect(query).toEqual({ alternatives: 'Who wrote Still Water', phrases: [], excluded: [] })
  })

  it('takes linear time', () => {
    for (const unit of [
      'answer in ',
      'when was the last time ',
      'true or false ',
      'please ',
      'I was ask ',
      ', use the ',
      'I was ',
      '\n  answer in',
      '? thanks ',
    ]) {
      const start = performance.now()
      dropFraming(unit.repeat(Math.floor(500_000 / unit.length)))
      expect(performance.now() - start).toBeLessThan(10_000)
    }
  })
})
