import { describe, expect, it } from 'vitest'
import { channelWeights, intentOf } from '../../src/retrieval/intent.ts'

describe('intentOf', () => {
  it.each([
    ['Why did the deploy fail?', 'why'],
    ['the reason we chose postgres', 'why'],
    ['When was the schema changed?', 'when'],
    ['what happened yesterday', 'when'],
    ["Who's the owner of billing", 'who'],
    ['How do I rotate the keys', 'how'],
    ['steps to rotate the keys', 'how'],
    ['fix the login bug', 'what'],
    ['What is the port of the API', 'what'],
    ['', 'what'],
    ['42 + 7 …', 'what'],
  ])('returns for %j the intent %s', (text, intent) => {
    expect(intentOf(text)).toBe(intent)
  })

  it('returns the intent with most cue words', () => {
    expect(intentOf('why did the author, the owner and the maintainer leave')).toBe('who')
  })

  it('returns the first of several intents with equal counts', () => {
    expect(intentOf('How do I know when to deploy')).toBe('how')
    expect(intentOf('When do I learn how to deploy')).toBe('when')
  })

  it('matches whole words in any case', () => {
    expect(intentOf('show the whole somewhere')).toBe('what')
    expect(intentOf('WHY')).toBe('why')
  })

  it('determines the weight of each channel', () => {
    const weights = Object.entries(channelWeights).map(([intent, { vector, text, graph, salience }]) => [
      intent,
      [vector, text, graph, salience],
    ])
    expect(Object.fromEntries(weights)).toEqual({
      why: [1, 0.8, 1.5, 0.5],
      when: [0.8, 1.2, 0.8, 0.5],
      who: [0.8, 0.8, 1.8, 0.5],
      how: [1.2, 1, 0.8, 0.5],
      what: [1, 1, 1, 0.5],
    })
  })
})
