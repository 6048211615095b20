import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Payload } from '../../../src/domain/payloads/payloads.ts'
import { findSummaryFault } from '../../../src/dream/clustering/summary-check.ts'
import { buildGroupQuestion, chooseSubject } from '../../../src/dream/clustering/summary-prompt.ts'
import { splitWords } from '../../../src/dream/clustering/summary-words.ts'

const sources = [
  'Ada deploys Orion to Frankfurt on 2026-01-05 with 10,000 users',
  'Ada deployed Orion to Frankfurt on 2026-01-05, 10,000 users were told',
  'On 2026-01-05 Orion went to Frankfurt; Ada did it for 10,000 users',
]
const honest = 'Ada deployed Orion to Frankfurt on 2026-01-05 for 10000 users.'

describe('the check of a summary', () => {
  it.each([
    [undefined, honest],
    [undefined, `${honest} The users were told.`],
    [undefined, 'On 2026-01-05, Ada’s deployment of Orion to Frankfurt reached 10,000 users'],
    ['invented', honest.replace('Ada', 'Grace')],
    ['invented', `${honest} Grace Hopper was told.`],
    ['invented', `${honest} Grace was told.`],
    ['invented', honest.replace('10000', '1000')],
    ['invented', honest.replace('2026-01-05', '2026-01-06')],
    ['invented', `${honest} It took 5.5 hours.`],
    ['invented', honest.replace('Orion', 'orion_v2')],
    ['invented', honest.replace('deployed', 'never deployed')],
    ['lost', honest.replace(' on 2026-01-05', '')],
    ['lost', honest.replace('Ada deployed', 'They deployed')],
    ['lost', honest.replace(' for 10000 users', '')],
    ['longer', `${honest} ${'The users were told. '.repeat(20)}`],
    ['strange', 'Ada Orion Frankfurt 2026-01-05 10,000 whatever weather keeps bringing'],
  ])('finds the fault %s: %s', (fault, summary) => {
    expect(findSummaryFault(summary, sources)).toBe(fault)
  })

  it('requires a negation that most sources contain', () => {
    const denied = ['the build does not pass here', 'the build never passes here', 'builds pass here']
    expect(findSummaryFault('the build does not pass here', denied)).toBeUndefined()
    expect(findSummaryFault('the build does pass here', denied)).toBe('lost')
  })

  it('accepts the dates of the sources', () => {
    expect(findSummaryFault(`${honest} told 2026-02-01`, sources, ['2026-02-01'])).toBeUndefined()
    expect(findSummaryFault(`${honest} told 2026-02-02`, sources, ['2026-02-01'])).toBe('invented')
  })

  it('accepts any text of equal sources', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), (text) => {
        expect(
          findSummaryFault(
            text,
            Array.from({ length: 5 }, () => text),
          ),
        ).toBeUndefined()
      }),
    )
  })

  it('does not hang on long and odd texts', () => {
    const began = performance.now()
    for (const odd of ['A.', 'a1-', '’s', 'n’t ', '1,', '_/@'])
      findSummaryFault(odd.repeat(2_000).slice(0, 4_000), [odd.repeat(12_000)])
    expect(performance.now() - began).toBeLessThan(30_000)
  })
})

const fact = (object: unknown, more: object = {}) =>
  ({
    kind: 'semantic',
    subject: 's',
    predicate: 'p',
    object,
    evidence: [],
    validity: { mode: 'global' },
    ...more,
  }) as Payload
const source = (id: string, payload: Payload | null) => ({ id, created_at: new Date(0), payload })
const sourcesOf = (...payloads: (Payload | null)[]) =>
  buildGroupQuestion(payloads.map((payload, nth) => source(String(nth), payload))).sources.map(({ id }) => id)

describe('the question about a group', () => {
  it('includes only records that fit completely, up to the limit', () => {
    const conditional = fact('x', { validity: { mode: 'conditional', conditions: { os: 'linux' } } })
    const contested = fact('x', { revision: { status: 'contested' } })
    const secret = fact({ api_key: 'k' })
    const included = sourcesOf(
      fact('a'),
      null,
      conditional,
      contested,
      secret,
      fact('b '.repeat(1_001)),
      fact('c'),
    )
    expect(included).toEqual(['0', '6'])
    const many = Array.from({ length: 50 }, (_, nth) => fact(`${nth} ${'word '.repeat(300)}`))
    expect(sourcesOf(...many).length).toBeLessThan(20)
  })

  it.each([
    [undefined, null],
    [undefined, 'words'],
    [undefined, ['words']],
    [undefined, { summary: 7 }],
    [undefined, { summary: ' ' }],
    [undefined, { summary: 's p words\0' }],
    [undefined, { summary: 's p words \ud800' }],
    [undefined, { summary: 'words '.repeat(1_000) }],
    ['s p words', { summary: ' s p words ' }],
  ])('reads %j from %j', (read, answer) => {
    const group = Array.from({ length: 5 }, (_, nth) => source(String(nth), fact('words')))
    expect(buildGroupQuestion(group).question.read(answer)).toBe(read)
  })

  it('uses the subject of most records', () => {
    const about = (subject: string) => ({ payload: fact('x', { subject }) })
    expect(chooseSubject([about('a'), about('b'), about('b')], ['tag'])).toBe('b')
    expect(chooseSubject([{ payload: null }], ['tag', 'other', 'other'])).toBe('other')
    expect(chooseSubject([{ payload: null }], [])).toBe('experience')
  })
})

describe('the words of a summary', () => {
  it('are without the marks at their ends, however many there are', () => {
    const listed = (text: string) => splitWords(text).map((word) => word.text)
    expect(listed("Ada's, dogs'. 3.5% C++ a's's")).toEqual(['Ada', 'dogs', '3.5', 'C', "a's"])
    const marks = "'".repeat(1_000_000)
    expect(listed(`a${marks}b${marks}`)).toEqual([`a${marks}b`])
  })
})
