import { describe, expect, it } from 'vitest'
import { describeVerdict, isSatisfied } from '../../src/checking/law.ts'

const law = { name: 'audit', statement: 'every version has its entry' }

describe('what is said of a law', () => {
  it('that is held is how many were checked', () => {
    const verdict = { ...law, checked: 12, broken: 0, named: [] }
    expect([isSatisfied(verdict), describeVerdict(verdict)]).toEqual([true, 'ok      audit: 12 checked'])
  })

  it('that is broken is by which, and whether there are more', () => {
    const verdict = { ...law, checked: 12, broken: 2, named: ['a', 'b'] }
    expect(isSatisfied(verdict)).toBe(false)
    expect(describeVerdict(verdict)).toBe('BROKEN  audit: 2 of 12: every version has its entry: a, b')
    expect(describeVerdict({ ...verdict, broken: 3 })).toMatch(/: a, b, …$/)
  })

  it('that could not be checked is why, and it is not taken for held', () => {
    const verdict = { ...law, unchecked: 'the database took too long' }
    expect(isSatisfied(verdict)).toBe(false)
    expect(describeVerdict(verdict)).toBe('?       audit: not checked, the database took too long')
  })
})
