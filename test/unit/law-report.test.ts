import { describe, expect, it } from 'vitest'
import { describeVerdict, isSatisfied } from '../../src/checking/law.ts'

const law = { name: 'audit', statement: 'every version has its entry' }

describe('the report of a law', () => {
  it('states for a satisfied law how many rows were checked', () => {
    const verdict = { ...law, checked: 12, broken: 0, named: [] }
    expect([isSatisfied(verdict), describeVerdict(verdict)]).toEqual([true, 'ok      audit: 12 checked'])
  })

  it('names for a broken law the rows, and says when there are more', () => {
    const verdict = { ...law, checked: 12, broken: 2, named: ['a', 'b'] }
    expect(isSatisfied(verdict)).toBe(false)
    expect(describeVerdict(verdict)).toBe('BROKEN  audit: 2 of 12: every version has its entry: a, b')
    expect(describeVerdict({ ...verdict, broken: 3 })).toMatch(/: a, b, …$/)
  })

  it('gives for an unchecked law the reason, and does not count it as satisfied', () => {
    const verdict = { ...law, unchecked: 'the database took too long' }
    expect(isSatisfied(verdict)).toBe(false)
    expect(describeVerdict(verdict)).toBe('?       audit: not checked, the database took too long')
  })
})
