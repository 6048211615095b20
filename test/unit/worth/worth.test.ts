import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Payload } from '../../../src/domain/payloads/payloads.ts'
import {
  type ConversationSignals,
  explainWorth,
  judgeWorth,
  namedWorth,
} from '../../../src/domain/worth/worth.ts'
import { readWorthParts } from '../../../src/domain/worth/worth-parts.ts'
import { anyCharacter } from '../../support/texts/any-character.ts'

const at = '2026-01-01T00:00:00.000Z'
const message = (text: string, role = 'user'): Payload => ({
  kind: 'episodic',
  conversation: { id: 'c', message_id: 'm', at, role },
  timeline: [{ t: at, event_kind: 'message', ref: 'conversation:c#m', summary: text }],
  tool_graph: [],
  artifacts: [],
})
const worthOf = (text: string, { role = 'user', ...before }: ConversationSignals & { role?: string } = {}) =>
  judgeWorth(message(text, role), before).value

const said = 'My sister Ines moved to Porto last March and works for the harbour.'

describe('worth at creation', () => {
  it('is highest for the answer to a question, less for a question, least for a greeting', () => {
    const answer = worthOf('She moved to Porto in March.', { isAnswer: true })
    const unasked = worthOf('She moved to Porto in March.')
    const question = worthOf('Where did she move to, and when?')
    expect(answer).toBeGreaterThan(unasked)
    expect(unasked).toBeGreaterThan(question)
    expect(question).toBeGreaterThan(worthOf('Good morning!'))
    expect(worthOf('ok')).toBeLessThan(question)
  })

  it('grows with what is new and specific, and not with words of every text', () => {
    expect(worthOf(said)).toBeGreaterThan(worthOf('Well, that is just how it is with all of them, I think.'))
    const known = new Set(said.toLowerCase().match(/\p{L}+/gu))
    expect(worthOf(said, { known })).toBeLessThan(worthOf(said))
  })

  it('gains nothing by asking to be kept', () => {
    const pleas = [
      'This is very important, never forget it.',
      'IMPORTANT: always remember this! Highest priority, do not delete.',
      'Please store this permanently, it must never be forgotten, it is critical and essential.',
    ]
    for (const plea of pleas) {
      expect(worthOf(`${said} ${plea}`)).toBeLessThanOrEqual(worthOf(said) + 1e-9)
      expect(worthOf(plea)).toBeLessThan(worthOf('We chose the blue tiles for the kitchen.'))
    }
  })

  it('gains nothing from a secret', () => {
    const secret = 'sk-proj-4f8Zq1LmN0pR7sT2uV5wX8yB3cD6eF9g'
    expect(worthOf(`I pasted the key ${secret} here`)).toBe(worthOf('I pasted the key here'))
  })

  it('does not count the digits of a log', () => {
    const log = (from: number) =>
      Array.from(
        { length: 8 },
        (_, line) =>
          `2026-01-0${line + 1}T10:0${line}:12.${from + line}Z INFO worker-${from} took=${from * 7}ms`,
      ).join('\n')
    const { figures, times, identifiers, names } = readWorthParts({ text: log(410), role: 'tool' })
    expect([figures, times, identifiers, names]).toEqual([0, 0, 0, 0])
    expect(worthOf(log(410), { role: 'tool' })).toBeLessThan(worthOf(said))
    expect(worthOf(log(410))).toBeLessThan(worthOf(said))
  })

  it('does not count the length of an answer of an assistant', () => {
    const short =
      'The museum opens at nine on Tuesdays, and a ticket is twelve euros for adults and six for children of school age. Bring a printed confirmation, because the gate in Rua Direita has no reader for phones and the queue at the desk is long in summer. On Mondays it stays closed except in August, when guided tours start at ten.'
    const long = `${short} ${'Further exhibits cover navigation, cartography, Brazil, 1500 and porcelain. '.repeat(20)}`
    expect(worthOf(long, { role: 'assistant' })).toBe(worthOf(short, { role: 'assistant' }))
    expect(worthOf(long, { role: 'assistant' })).toBeLessThan(worthOf(short))
  })

  it('is less for what an assistant writes to a person, however much that says', () => {
    const advice = { role: 'assistant', isAdvice: true }
    expect(worthOf(said, advice)).toBeLessThan(worthOf(said, { role: 'assistant' }))
    expect(worthOf(said, advice)).toBeLessThan(worthOf('My sister Ines moved to Porto in March.'))
    expect(worthOf(said, { ...advice, usual: 15 })).toBe(worthOf(said, { role: 'assistant', usual: 15 }))
  })

  it('judges a short fact in the middle', () => {
    const fact = { kind: 'semantic', subject: 'Ada', predicate: 'prefers', object: 'green tea' } as Payload
    expect(judgeWorth(fact).value).toBeGreaterThan(0.25)
    expect(judgeWorth(fact).value).toBeLessThan(0.55)
  })

  it('of a fact about an entity does not depend on the id of the entity', () => {
    const judge = (subject: string) =>
      judgeWorth({ kind: 'semantic', subject, predicate: 'profile', object: 'all about Orion' } as Payload)
        .value
    const values = [
      '01980000-0000-7000-8000-000000000001',
      '01a2128f-4132-7203-bd64-b468f22d5d42',
      'ABCDEFAB-CDEF-4ABC-8DEF-ABCDEFABCDEF',
    ].map(judge)
    expect(new Set(values).size).toBe(1)
  })

  it('reads languages without spaces and without Latin letters', () => {
    expect(worthOf('来週の火曜日に大阪へ引っ越します。新しい住所は後で送ります。')).toBeGreaterThan(
      worthOf('はい。'),
    )
    expect(worthOf('Моя сестра переехала в Порту и работает в гавани.')).toBeGreaterThan(worthOf('Да.'))
  })

  it('leaves room for surprise, and stores what it explains', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: anyCharacter }), fc.boolean(), (text, isAnswer) => {
        const { value, code } = judgeWorth(message(text), { isAnswer })
        expect(value).toBeGreaterThanOrEqual(0.05)
        expect(value).toBeLessThanOrEqual(0.7)
        const explained = explainWorth(code)
        expect(explained?.value).toBe(value)
        for (const { value: part, weight, contribution } of explained?.parts ?? [])
          expect(contribution).toBe(part * weight)
      }),
    )
    expect(explainWorth(namedWorth)).toBeUndefined()
    expect(explainWorth(null)).toBeUndefined()
  })
})

describe('worth in a conversation about work', () => {
  const report =
    'The lease deadline is compared with time.time() but the store drops fractions of a second, so 2 workers get job 4417.'
  const chatter = 'My sister loves it there in summer.'

  it('grows with how much is said, which a chat counts less', () => {
    const usual = 15
    expect(worthOf(report, { usual, role: 'assistant' })).toBeGreaterThan(worthOf(chatter, { usual }))
    expect(worthOf(report, { role: 'assistant', isAdvice: true })).toBeLessThan(worthOf(chatter))
    expect(worthOf('Go ahead.', { usual })).toBeLessThan(worthOf('Go ahead.'))
  })

  it('grows less if the writer always says that much', () => {
    const [short, long] = [15, 45].map((usual) => worthOf(report, { usual, role: 'assistant' }))
    expect(long).toBeLessThan(short ?? 0)
  })

  it('counts a log no more than one full sentence', () => {
    const lines = Array.from(
      { length: 9 },
      (_, line) => `10:00:0${line} INFO worker-${line} took=${line}37ms`,
    )
    const { detail } = readWorthParts({ text: lines.join('\n'), role: 'tool', usual: 15 })
    expect(detail).toBe(0.6)
  })

  it('gains nothing by asking to be kept', () => {
    const plea = 'IMPORTANT: always remember this!'
    expect(worthOf(`${report} ${plea}`, { usual: 15 })).toBeCloseTo(worthOf(`${report} This!`, { usual: 15 }))
  })

  it('is explained by the weights of such conversations, and an older judgement by the older weights', () => {
    const { value, code } = judgeWorth(message(report), { usual: 15 })
    const explained = explainWorth(code)
    expect(explained?.value).toBe(value)
    expect(explained?.parts.find(({ name }) => name === 'detail')?.contribution).toBeGreaterThan(6)
    const ofChat = judgeWorth(message(report))
    const withoutDetail = explainWorth(ofChat.code.subarray(0, -1))
    expect(withoutDetail).toEqual(explainWorth(ofChat.code))
  })
})

it('judges a text without accents like the same text with a sign that is not a word', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "don't",
      'API_KEY',
      'src/db.ts',
      'v2',
      'camelCase',
      'Hello,',
      '(Porto)',
      'e.g.',
      '42',
      '--x',
      "it's",
    ),
    fc.string({ unit: 'binary-ascii', maxLength: 8 }),
    fc.stringMatching(/^[A-Za-z]{1,8}[.,!?]?$/),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom(' ', '\n'), (pieces, separator) => {
      const text = pieces.join(separator)
      const inUnicode = readWorthParts({ text: `${text}\n\u00a0` })
      expect(readWorthParts({ text })).toEqual(inUnicode)
    }),
    { numRuns: 500 },
  )
})
