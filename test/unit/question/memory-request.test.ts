import { describe, expect, it } from 'vitest'
import { dropMemoryRequest } from '../../../src/retrieval/question/memory-request.ts'
import { readQuestionText } from '../../../src/retrieval/question/question-text.ts'

describe('a request to memory', () => {
  it.each([
    ['Check memory for when Ada went to Rome', 'when Ada went to Rome'],
    ["Search for information about Ada's dog", "Ada's dog"],
    ["Retrieve any stored information regarding Ada's dog", "Ada's dog"],
    ['What do we know about Ada moving to Rome?', 'Ada moving to Rome?'],
    ['Do we have any information on Ada Li?', 'Ada Li?'],
    ['Is there any record of Ada buying a car?', 'Ada buying a car?'],
    ["Does the memory contain anything about Ada's dog?", "Ada's dog?"],
    ["Check memory for information related to Ada's dog", "Ada's dog"],
    ['List everything Ada painted', 'Ada painted'],
    ['Tell me about the time Ada went to Rome', 'Ada went to Rome'],
    ['I need context on the car of Ada', 'the car of Ada'],
    ['Any idea where Ada lives?', 'where Ada lives?'],
    ['Remind me where Ada lives', 'where Ada lives'],
    ['Step 1: Determine where Ada lives', 'where Ada lives'],
    ['I need to find where Ada lives. Let me search the memory.', 'where Ada lives'],
    ['Thought: I should look up where Ada lives in memory.', 'where Ada lives'],
    ["Recall: Ada's preferences re hotels", "Ada's preferences re hotels"],
  ])('is no part of %j', (text, asked) => expect(dropMemoryRequest(text)).toBe(asked))

  it.each([
    'Where does Ada live?',
    'What do we know?',
    'What can you tell me about Rome?',
    'What did you tell me about Rome?',
    'What is in my notes about Rome?',
    'Do you remember the name of my dog?',
    'How do I remember to water plants?',
    'What should I store in the freezer?',
    'Search the history of Rome',
    'Find the car of Ada',
    'Which details did Ada change?',
    'The time Ada went to Rome',
    '',
  ])('is not in %j', (text) => expect(dropMemoryRequest(text)).toBe(text))

  it('is not searched', () => {
    const { query } = readQuestionText('What do we know about Ada moving to Rome?')
    expect(query.alternatives).toBe('Ada moving to Rome')
  })

  it('takes linear time to find', () => {
    for (const unit of [
      'know about ',
      'step 1: ',
      '. let me search ',
      ' in memory',
      'a',
      '. ',
      '  ',
      'the time ',
    ]) {
      const start = performance.now()
      dropMemoryRequest(unit.repeat(Math.floor(500_000 / unit.length)))
      dropMemoryRequest(`tell me about ${unit.repeat(Math.floor(500_000 / unit.length))}`)
      expect(performance.now() - start).toBeLessThan(5_000)
    }
  })
})
