import { describe, expect, it } from 'vitest'
import { findPersons, readSpeaker, type WrittenMessage } from '../../../src/domain/worth/written-message.ts'

it('a message without a name has the one that its text begins with', () => {
  expect(readSpeaker({ role: 'user', text: 'Ada: Hello' })).toEqual({
    role: 'user',
    name: 'Ada',
    text: 'Hello',
  })
  expect(readSpeaker({ role: 'user', name: 'Ada', text: 'Ada: Hello' }).text).toBe('Hello')
  const other = { role: 'user', name: 'Bo', text: 'Ada: Hello' }
  expect(readSpeaker(other)).toEqual(other)
})

describe('an assistant is a person', () => {
  const listRoles = (name: string | undefined, text: string) => {
    const messages: WrittenMessage[] = [
      { role: 'user', name: 'Ada', text: 'How was Rome?' },
      { role: 'assistant', name, text },
    ]
    return findPersons(messages).map(({ role }) => role)
  }

  it('with a name and short messages', () => {
    expect(listRoles('Bo', 'It was loud.')).toEqual(['user', 'user'])
  })

  it.each([
    [undefined, 'It was loud.'],
    ['Support Bot', 'It was loud.'],
    ['Claude', 'It was loud.'],
    ['Bo', 'It was loud. '.repeat(30)],
  ])('but not as %j with %j', (name, text) => {
    expect(listRoles(name, text)).toEqual(['user', 'assistant'])
  })
})
