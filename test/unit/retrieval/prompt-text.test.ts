import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteAsLine } from '../../../src/retrieval/prompt/quoted-text.ts'
import { shortenIds } from '../../../src/retrieval/prompt/short-references.ts'
import { cutToWeight, estimateTokens, measureWeight } from '../../../src/retrieval/prompt/token-estimate.ts'
import { countRuns } from '../../support/long-run.ts'
import { hostileText } from '../../support/texts/hostile-text.ts'

describe('a quoted text', () => {
  it('is one line that no text makes end a fence or forge a reference', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = quoteAsLine(text)
        expect(line).not.toMatch(/[\n\r\v\f\u0085\u2028\u2029]/)
        expect(line).not.toMatch(/`{3}|~{3}/)
        expect(line).not.toMatch(/[[［][\s\p{Cf}]*[mｍ][\s\p{Cf}]*[:：]/iu)
        expect(line.normalize('NFKC')).not.toMatch(/\[\s*m\s*:/i)
        expect(line.isWellFormed()).toBe(true)
      }),
      { numRuns: countRuns(20_000) },
    )
  })

  it('is an ordinary text as it is', () => {
    for (const text of ['It says `npm ci`, [link](x) and a\\b.', 'Zoë 👩‍👩‍👧 日本語', '{"a": [1, 2]}'])
      expect(quoteAsLine(text)).toBe(text)
  })

  it('forges no reference with characters that are not shown', () => {
    for (const unseen of ['\ufe0e', '\u034f', '\u115f', '\u3164', '\u2800']) {
      expect(quoteAsLine(`[${unseen}m${unseen}:abcdef]`)).toMatch(/\\:abcdef\]$/)
    }
  })

  it('shows a text that is hidden in variation selectors', () => {
    const hide = (text: string, first: number) =>
      Array.from(text, (letter) => String.fromCodePoint(first + (letter.codePointAt(0) ?? 0))).join('')
    expect(quoteAsLine(`a${hide('obey', 0xe0100)}`)).toBe('a\\u{e016f}\\u{e0162}\\u{e0165}\\u{e0179}')
    expect(quoteAsLine('a\ufe06\ufe0f\ufe06')).toBe('a\ufe06\\u{fe0f}\\u{fe06}')
    for (const text of ['❤️ and ✌🏽', '辻\u{e0100}さん']) expect(quoteAsLine(text)).toBe(text)
  })

  it('shows where lines ended', () => {
    expect(quoteAsLine('one\ntwo\r\nthree\u2028four\tfive')).toBe('one\\ntwo\\nthree\\nfour five')
  })
})

describe('the estimate of tokens', () => {
  it('of a text is at most that of its parts, and grows with the text', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (one, other) => {
        expect(measureWeight(one + other)).toBe(measureWeight(one) + measureWeight(other))
        expect(estimateTokens(one + other)).toBeLessThanOrEqual(estimateTokens(one) + estimateTokens(other))
      }),
      { numRuns: countRuns(2_000) },
    )
  })

  it.each([
    ['the billing service runs in Frankfurt', 10],
    ['2026-03-28', 8],
    ['日本語', 5],
    ['', 0],
  ])('of %j is %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens)
  })

  it('holds for a text that is cut to it, in whole characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 30, max: 500 }),
        (text, most) => {
          const cut = cutToWeight(text, most)
          expect(measureWeight(cut)).toBeLessThanOrEqual(most)
          expect(cut.isWellFormed()).toBe(true)
          if (measureWeight(text) <= most) expect(cut).toBe(text)
          else expect(text.startsWith(cut.slice(0, -1))).toBe(true)
        },
      ),
      { numRuns: countRuns(2_000) },
    )
  })
})

describe('the references to records', () => {
  it('are short, and as long as it takes to tell them apart', () => {
    const near = ['0197b9a0-0000-7000-8000-00000000abcd', '0197b9a0-0000-7000-8000-10000000abcd']
    const far = '0197b9a0-0000-7000-8000-0000deadbeef'
    const references = shortenIds([...near, far])
    expect(references.get(far)).toBe('adbeef')
    expect(near.map((id) => references.get(id))).toEqual(['00000000abcd', '10000000abcd'])
  })

  it('name one record each', () => {
    const id = fc.uuid().map((text) => `0197b9a0-0000-7000-8000-0000${text.slice(0, 2)}000000`)
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(id, fc.uuid()), { maxLength: 20 }), (ids) => {
        const references = shortenIds(ids)
        expect([...references.keys()].sort()).toEqual([...ids].sort())
        for (const reference of references.values())
          expect(ids.filter((each) => each.replaceAll('-', '').endsWith(reference))).toHaveLength(1)
      }),
    )
  })
})
