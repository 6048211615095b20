import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Validity } from '../../../src/domain/payloads/validity.ts'
import { formatRecord, formatRecords, getMember, readText } from '../../../src/dream/prompt-lines.ts'

const at = new Date('2026-03-01T12:00:00.000Z')
const record = (object: unknown) => ({
  id: 'r',
  created_at: at,
  payload: {
    kind: 'semantic' as const,
    subject: 's',
    predicate: 'p',
    object,
    evidence: [],
    validity: { mode: 'global' as const },
  },
})

describe('the lines about records in a prompt', () => {
  it('contain the date and the text without secrets', () => {
    expect(formatRecord(record({ user: 'ada', password: 'hunter2' }))).toEqual({
      on: '2026-03-01',
      says: 's p ada',
    })
  })

  it('say for which time and under which conditions a fact holds', () => {
    const limited = (validity: Validity) => {
      const { payload, ...rest } = record('o')
      return formatRecord({ ...rest, payload: { ...payload, validity } })?.says
    }
    const [start, end] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z']
    expect(limited({ mode: 'timeboxed', start, end })).toBe(`s p o, valid from ${start} until ${end}`)
    expect(limited({ mode: 'timeboxed' })).toBe('s p o')
    const conditions = { os: 'mac', password: 'hunter2', text: 'x'.repeat(1_000) }
    const says = limited({ mode: 'conditional', conditions }) ?? ''
    expect(says).toMatch(/^s p o, valid if .*mac/)
    expect(says).not.toContain('hunter2')
    expect(says.length).toBeLessThan(400)
  })

  it('stay within the limit and always contain the first record', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 3_000 })),
        fc.nat(5_000),
        (texts, longest) => {
          const { shownRecords, lines } = formatRecords(texts.map(record), longest)
          expect(shownRecords).toHaveLength(lines.length)
          expect(lines.reduce((sum, line) => sum + JSON.stringify(line).length, 0)).toBeLessThanOrEqual(
            longest,
          )
          expect(lines.every(({ says }) => says.isWellFormed() && says.length <= 1_000)).toBe(true)
          expect(lines).toEqual(texts.slice(0, lines.length).map((text) => formatRecord(record(text))))
        },
      ),
    )
  })

  it('leave out a record without a payload', () => {
    expect(formatRecord({ id: 'r', created_at: at, payload: null })).toBeUndefined()
  })
})

it('readText accepts only text that can be stored', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const text = readText(value, 10)
      const isKept = text === undefined || (text.length > 0 && text.length <= 10 && !text.includes('\0'))
      expect(isKept).toBe(true)
    }),
  )
  expect(readText('  a \n', 10)).toBe('a')
  expect([' ', 'x'.repeat(11), 'a\0', '\ud800', 1, null, ['a']].map((each) => readText(each, 10))).toEqual(
    Array(7).fill(undefined),
  )
})

it('getMember ignores inherited members', () => {
  expect(getMember({ a: 1 }, 'a')).toBe(1)
  expect([[], 'text', null, {}].map((each) => getMember(each, 'constructor'))).toEqual(
    Array(4).fill(undefined),
  )
})
