import { expect, it } from 'vitest'
import { isNegation, listNegations } from '../../src/domain/negation.ts'

it.each([
  ['prefers', 'does not prefer', true],
  ['Prefers', "DOESN'T prefer", true],
  ['prefers', 'doesn’t prefer', true],
  ['prefer', 'do not prefer', true],
  ['prefers', 'does_not_prefer', true],
  ['works_at', 'does_not_work_at', true],
  ['carries', 'does not carry', true],
  ['goes to', 'does not go to', true],
  ['watches', 'does not watch', true],
  ['uses', 'does not use', true],
  ['is', 'is not', true],
  ['is allergic to', "isn't allergic to", true],
  ['has visited', 'has not visited', true],
  ['has', 'does not have', true],
  ['can read', 'cannot read', true],
  ['can read', "can't read", true],
  ['will attend', "won't attend", true],
  ['prefers', 'prefers', false],
  ['prefers', 'likes', false],
  ['lives in', 'does not live near', false],
  ['are', 'are notable', false],
  ['', '', false],
])('%s and %s deny each other: %s', (one, other, denies) => {
  expect([isNegation(one, other), isNegation(other, one)]).toEqual([denies, denies])
})

it('looks few spellings up', () => {
  for (const predicate of ['has', 'prefers', 'is not', 'lives in', 'status'])
    expect(listNegations(predicate).length, predicate).toBeLessThanOrEqual(6)
})
