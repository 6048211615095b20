import { describe, expect, it } from 'vitest'
import { readQuestionText } from '../../../src/retrieval/question/question-text.ts'

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })

describe('a task that is a list of chat messages in JSON', () => {
  it.each([
    ['texts', [user('The opera was wonderful.'), assistant('How nice!'), user('Where does Ada live?')]],
    [
      'parts and a call of a tool',
      [
        user([
          { type: 'text', text: 'The opera was wonderful.' },
          { type: 'image_url', image_url: {} },
        ]),
        { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] },
        assistant([{ type: 'output_text', text: 'How nice!' }]),
        { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Where does Ada live?' }] },
      ],
    ],
  ])('asks for the same as the copied chat, with %s', (_, messages) => {
    const copied = 'user: The opera was wonderful.\nassistant: How nice!\nuser: Where does Ada live?'
    const read = readQuestionText(JSON.stringify(messages, undefined, 2))
    expect(read).toEqual(readQuestionText(copied))
    expect(read.asking).toBe('Where does Ada live?')
  })

  it('asks each of several questions in its last turn', () => {
    const turns = [
      user('Who is Bob?'),
      assistant('A pilot.'),
      user('Where does Ada live? And when did Tom marry?'),
    ]
    const { asking, parts } = readQuestionText(JSON.stringify(turns))
    expect(asking).toBe('Where does Ada live? And when did Tom marry?')
    expect(parts.map((part) => part.asking)).toEqual(['Where does Ada live?', 'And when did Tom marry?'])
    expect(parts[0]?.included).toContain('A pilot.')
    expect(readQuestionText(JSON.stringify(turns.slice(2))).parts).toHaveLength(2)
  })

  it('asks for the text of its only message', () => {
    const one = JSON.stringify([user('Where does Ada live?')])
    expect(readQuestionText(one)).toEqual(readQuestionText('Where does Ada live?'))
  })

  it.each([
    ['other JSON', '[{"service":"billing","role":"reader"}]'],
    ['JSON that ends early', '[{"role":"user","content":"Where does'],
    ['a list of which only some are messages', '[{"role":"user","content":"x"},{"id":7}]'],
    ['messages without a text', '[{"role":"user","content":[]}]'],
  ])('leaves %s as it is', (_, task) => {
    expect(readQuestionText(task).asked).toBe(task)
  })
})
