import { describe, expect, it } from 'vitest'
import { readOwnText } from '../../../src/domain/worth/own-text.ts'
import { isQuestion } from '../../../src/domain/worth/questions.ts'
import { readWorthParts } from '../../../src/domain/worth/worth-parts.ts'

const said = 'We moved the launch to Friday.'

describe('what is below a message and around it', () => {
  it.each([
    ['a signature', `${said}\n\n--\nTom Morrison\nHead of Sales | Northwind Ltd.\n+44 20 7946 0958`, said],
    ['a greeting and a name', `${said}\n\nKind regards,\nTom Morrison\n14 Cheapside, London`, said],
    ['the same in German', `${said}\n\nMit freundlichen Grüßen\nTom Brandt\nTel. 0221 4711-20`, said],
    ['the name of a device', `${said}\n\nSent from my iPhone`, said],
    ['the name of a device in Spanish', `${said}\n\nEnviado desde mi iPhone`, said],
    [
      'a legal notice',
      `${said}\n\nThis email and any attachments are confidential. If you are not the intended recipient, delete them.`,
      said,
    ],
    [
      'a signature and a notice below it',
      `${said}\n\nThanks,\nTom\n\nThis message may be privileged.\n\nSent from my iPhone`,
      said,
    ],
    ['the numbers of points', '1. Call Anna\n2. Book Oslo', 'Call Anna\nBook Oslo'],
    [
      'the numbers of rows',
      '| # | Note |\n|---|---|\n| 1 | Call Anna |',
      '| # | Note |\n|---|---|\nCall Anna |',
    ],
    ['the id of who is named', '<@U02AB9XYZ> ask <@U02AB9XYY|anna>', ' ask anna'],
    [
      'the page of an address',
      'See https://example.com/watch?v=8471&t=12 tonight',
      'See https://example.com tonight',
    ],
  ])('does not count: %s', (_, text, own) => {
    expect(readOwnText(text).trimEnd()).toBe(own)
  })

  it.each([
    ['a text that is only a signature', '--\nTom Morrison\n+44 20 7946 0958'],
    ['a greeting with a long text below', `Thanks,\n\n${'The order of May is missing. '.repeat(8)}`],
    ['a greeting above a list', `Hello,\n\nThanks,\n${'Oslo\n'.repeat(9)}`],
    ['a line between parts', `${said}\n\n---\n\nThe budget is 4,000.`],
    ['a first paragraph about a notice', 'The intended recipient of the parcel is Anna.'],
    ['a figure at the beginning of a line', '12 guests come on Friday.'],
  ])('counts %s', (_, text) => {
    expect(readOwnText(text)).toBe(text)
  })

  it.each(['\n\n', '-- \n', '--\n\n', 'Thanks,\n', '1. ', '<@A', 'https://', 'this message '])(
    'is read fast from a long run of %j',
    (part) => {
      const started = performance.now()
      readOwnText(part.repeat(4_000))
      isQuestion(part.repeat(3_000))
      expect(performance.now() - started).toBeLessThan(500)
    },
  )

  it('is worth no more for a signature', () => {
    const signed = `${said}\n\nBest regards,\nTom Morrison\nNorthwind Ltd., 14 Cheapside, London EC2V 6AB`
    expect(readWorthParts({ text: signed, role: 'user' })).toEqual(
      readWorthParts({ text: said, role: 'user' }),
    )
  })
})

it('has no name in the first word after slang', () => {
  const names = (text: string) => readWorthParts({ text, role: 'user' }).names
  expect(names('I finished it today. lol What did you do? tbh It was fun.')).toBe(0)
  expect(names('I finished it today. lol We met Joaquin.')).toBeGreaterThan(0)
})

describe('isQuestion', () => {
  it('takes the query of an address for no question', () => {
    expect(isQuestion('Look: https://example.com/watch?v=12')).toBe(false)
    expect(isQuestion('Did you see https://example.com/watch?v=12?')).toBe(false)
    expect(isQuestion('Did you see https://example.com/watch ?')).toBe(true)
  })
})
