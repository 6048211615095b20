import { describe, expect, it } from 'vitest'
import { placeInConversation } from '../../../src/domain/worth/worth-context.ts'
import type { WrittenMessage } from '../../../src/domain/worth/written-message.ts'

describe('the place of a message in its conversation', () => {
  const say = (name: string, text: string) => ({ role: 'user', name, text })

  it('is an answer only to a question of somebody else', () => {
    const places = placeInConversation(
      [say('Ada', 'Where is it?'), say('Ada', 'In Rome.'), say('Bo', 'Is it?'), say('Ada', 'Yes.')],
      [say('Bo', 'Guess?')],
    )
    expect(places.map(({ isAnswer }) => isAnswer)).toEqual([true, false, false, true])
  })

  it('knows the words of the last twenty messages and the names of their writers', () => {
    const before = [say('Old', 'porcelain'), ...Array.from({ length: 20 }, () => say('Bo Li', 'tea'))]
    const [place] = placeInConversation([say('Ada', 'porcelain tea')], before)
    expect([...(place?.known ?? [])]).toEqual(['tea'])
    expect([...(place?.speakers ?? [])].sort()).toEqual(['Ada', 'Bo', 'Li'])
  })

  it('is at work with a tool or an assistant that listens, and not in a chat', () => {
    const ada = say('Ada', 'Four boxes came.')
    const bo = say('Bo', 'Five boxes.')
    const [assistant, tool, system] = ['assistant', 'tool', 'system'].map((role) => ({
      role,
      text: 'Noted.',
    }))
    if (!assistant || !tool || !system) throw new Error('a role is missing')
    const usualOf = (...said: WrittenMessage[]) =>
      placeInConversation(said.slice(-1), said.slice(0, -1))[0]?.usual
    expect(usualOf(ada, tool)).toBe(15)
    expect(usualOf(ada, assistant, bo)).toBe(15)
    expect(usualOf(ada, bo)).toBeUndefined()
    expect(usualOf(system, ada, assistant, ada, assistant)).toBeUndefined()
    expect(usualOf(tool, ...Array.from({ length: 21 }, () => ada))).toBeUndefined()
    const several = (count: number) => Array.from({ length: count }, () => ada)
    expect(usualOf(tool, ...several(15))).toBe(15)
    expect(usualOf(tool, ...several(16))).toBeUndefined()
    expect(usualOf(tool, tool, ...several(19))).toBe(15)
  })

  it('is advice from an assistant to a person, and not from one assistant to another', () => {
    const [assistant, tool] = ['assistant', 'tool'].map((role) => ({ role, text: 'Noted.' }))
    if (!assistant || !tool) throw new Error('a role is missing')
    const isAdvice = (...said: WrittenMessage[]) =>
      placeInConversation(said.slice(-1), said.slice(0, -1))[0]?.isAdvice
    expect(isAdvice(say('Ada', 'Four boxes came.'), assistant)).toBe(true)
    expect(isAdvice(assistant, say('Ada', 'Four boxes came.'))).toBe(false)
    expect(isAdvice(tool, assistant, assistant)).toBe(false)
    expect(isAdvice(assistant)).toBe(false)
  })

  it('knows how much its assistant usually says', () => {
    const long = { role: 'assistant', text: 'one two three four five six seven eight nine ten '.repeat(3) }
    const words = Array.from({ length: 40 }, (_, at) => `w${String.fromCharCode(97 + (at % 26), 97 + at)}`)
    const longer = { role: 'assistant', text: words.join(' ') }
    const before = [{ role: 'tool', text: 'ok' }, longer]
    expect(placeInConversation([long], [{ role: 'tool', text: 'ok' }])[0]?.usual).toBe(15)
    expect(placeInConversation([long], before)[0]?.usual).toBe(25)
  })
})
