import { describe, expect, it } from 'vitest'
import type { Payload } from '../../../src/domain/payloads/payloads.ts'
import { judgeWorth } from '../../../src/domain/worth/worth.ts'
import { placeInConversation } from '../../../src/domain/worth/worth-context.ts'
import type { WrittenMessage } from '../../../src/domain/worth/written-message.ts'

const answer = { role: 'assistant', text: 'Noted.' }
const at = '2026-01-01T00:00:00.000Z'

function place(text: string, before: readonly WrittenMessage[] = [answer]) {
  const [placed] = placeInConversation([{ role: 'user', text }], before)
  if (!placed) throw new Error('no message is placed')
  return placed
}

function judge(text: string): number {
  const payload: Payload = {
    kind: 'episodic',
    conversation: { id: 'c', message_id: 'm', at, role: 'user' },
    timeline: [{ t: at, event_kind: 'message', ref: 'conversation:c#m', summary: text }],
    tool_graph: [],
    artifacts: [],
  }
  return judgeWorth(payload, place(text)).value
}

describe('what a person asks of an assistant', () => {
  it.each([
    ['Write a rental contract for the flat in Porto.', true],
    ['What is the fastest car of the year 2001?', true],
    ['Tell me how monoclonal antibodies are made.', true],
    ['I avoid hotels with a loud bar.', false],
    ['How do I renew my passport in Lisbon?', false],
    ['Our deadline is the 4th of May.', false],
    ['The spare key is with Bo on the second floor.', false],
    ['Please remember that Ella is allergic to nuts.', false],
    ['Actually the exam was moved to the 27th', false],
    ['Please explain that the exam was moved to the 27th.', true],
    ['Who is the author of this text', true],
    [`Mitosis is a process ${'in which a single cell divides '.repeat(4)}of the body.`, true],
    ['The mouse has been made in 1998.\nSelect one:\nTrue\nFalse', true],
    ['Prefiero los hoteles tranquilos.', false],
    ['静かなホテルが好きです。', false],
  ])('is a request where it says nothing of its writer: %s', (text, isRequest) => {
    expect(place(text).isRequest).toBe(isRequest)
  })

  it('is none among people, nor in the words of the assistant', () => {
    const text = 'Write a rental contract for the flat in Porto.'
    expect(place(text, [{ role: 'user', name: 'Ada', text: 'Hello.' }]).isRequest).toBe(false)
    expect(placeInConversation([{ role: 'assistant', text }], [answer])[0]?.isRequest).toBe(false)
  })

  it('is worth less than a preference, even if it has more names and figures', () => {
    const request = 'Which of these is the oldest, and what is its prize: Sporting, Benfica, Porto or Braga?'
    expect(judge('I avoid hotels with a loud bar.')).toBeGreaterThan(judge(request))
  })
})
