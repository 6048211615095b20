import { describe, expect, it } from 'vitest'
import { readOwnText } from '../../../src/domain/worth/own-text.ts'
import { placeInConversation } from '../../../src/domain/worth/worth-context.ts'
import { readWorthParts } from '../../../src/domain/worth/worth-parts.ts'

describe('the own text of a message', () => {
  it.each([
    [
      'quoted lines',
      'Thanks!\n\nOn Mon, 3 Feb 2025 at 09:12, Ann <ann@a.example> wrote:\n> The code is 4471.\n>> Ok',
      'Thanks!',
    ],
    [
      'a quote above the answer',
      '> who owns the certificate?\nI do, until 3 November',
      'I do, until 3 November',
    ],
    [
      'the message below a line',
      'Will do.\n\n-----Original Message-----\nFrom: Ann\nThe code is 4471.',
      'Will do.\n',
    ],
    [
      'the message below headers',
      'Mach ich.\n\nVon: Ann\nGesendet: Montag\nDer Code ist 4471.',
      'Mach ich.\n',
    ],
    ['a stamp', '[2025-03-03 09:12] Tom Avery: I moved to Leith.', 'I moved to Leith.'],
    ['a stamp of a chat', '03.03.25, 09:12 - Tom: I moved to Leith.', 'I moved to Leith.'],
    ['tags', '<p>I moved to <b>Leith</b>.</p>', ' I moved to  Leith . '],
  ])('leaves out %s', (_, text, own) => {
    expect(readOwnText(text)).toBe(own)
  })

  it.each([
    ['a text that is only a quote', '> Supplier Brandt delivers only against prepayment.'],
    [
      'a remark and what it forwards',
      'For you.\n\n---------- Forwarded message ---------\nThe code is 4471.',
    ],
    ['a text with a heading between lines', 'Notes\n--- Decisions of today ---\nWe stay with MariaDB.'],
    ['a quote that the writer leads to', 'The new rule:\n> Refunds within 30 days.\n> No cash.\nOk?'],
    ['a forwarded message', 'From: Ann\nSent: Monday\nThe code is 4471.'],
    ['code', 'if (a < b) return list</list>'],
    ['a date in a sentence', '2025-03-03 is the day of the move.'],
    ['a colon in a sentence', 'From: see below\nThat is all.'],
  ])('is all of %s', (_, text) => {
    expect(readOwnText(text)).toBe(text)
  })

  it.each([' ', '-', '>', '<p ', '1:\n>', 'a@', '>\n'])('is read fast from a long run of %s', (part) => {
    const started = performance.now()
    readOwnText(part.repeat(20_000))
    expect(performance.now() - started).toBeLessThan(500)
  })

  it('decides the worth: an answer is worth no more for the message below it', () => {
    const below =
      '\n\nOn 3 Feb 2025, Ann wrote:\n> On 3 May we fly to Oslo with Lena and Paul, flight SK 4471.'
    const { answer: _, ...values } = readWorthParts({ text: `Thanks!${below}`, role: 'user' })
    const { answer: __, ...plain } = readWorthParts({ text: 'Thanks!', role: 'user' })
    expect(values).toEqual(plain)
  })

  it('has a name, a time and no machine text in a line with a stamp', () => {
    const text = 'Since May I live in Leith.'
    expect(readWorthParts({ text: `[2025-03-03 09:12] Tom: ${text}`, role: 'user' })).toEqual(
      readWorthParts({ text, role: 'user' }),
    )
  })
})

describe('texts without marks', () => {
  it('have no name for the first word of a sentence', () => {
    const names = (text: string) => readWorthParts({ text, role: 'user' }).names
    expect(names('It was great We had a lot of fun That is all')).toBe(0)
    expect(names('It was great We met Joaquin')).toBeGreaterThan(0)
  })

  it('are questions that a person answers', () => {
    const said = [
      { role: 'user', name: 'Ann', text: 'so what did you do on the weekend' },
      { role: 'user', name: 'Ben', text: 'went to the lake' },
    ]
    expect(placeInConversation(said, []).map(({ isAnswer }) => isAnswer)).toEqual([false, true])
  })
})

describe('a message that was just said', () => {
  it('is repeated, and one with another figure is not', () => {
    const said = [
      'The rent is 940 euros.',
      'Ok',
      'The rent is 940 euros. ',
      'The rent is 950 euros.',
      'The rent is 940 euros.',
    ]
    const placed = placeInConversation(
      said.map((text) => ({ role: 'user', text })),
      [],
    )
    expect(placed.map(({ isRepeated }) => isRepeated)).toEqual([false, false, true, false, true])
    expect(readWorthParts({ text: 'Ok', isRepeated: true }).repeated).toBe(1)
  })
})
