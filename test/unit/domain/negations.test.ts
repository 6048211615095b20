import { expect, it } from 'vitest'
import { isListPredicate } from '../../../src/domain/identity/handles.ts'
import { isDenial, isNegation, listNegations } from '../../../src/domain/words/negation.ts'

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
  ['eats', 'never eats', true],
  ['prefers', 'no longer prefers', true],
  ['works_at', 'no_longer_works_at', true],
  ['is', 'is no longer', true],
  ['is allergic to', 'is no longer allergic to', true],
  ['has visited', 'has never visited', true],
  ['will attend', 'will never attend', true],
  ['lives in', 'does not live in anymore', true],
  ['lives in', 'doesn’t live in any more', true],
  ['is allergic to', 'is not allergic to anymore', true],
  ['visited', 'did not visit', true],
  ['used', "didn't use", true],
  ['dropped', 'did not drop', true],
  ['had', 'did not have', true],
  ['smokes', 'stopped smoking', true],
  ['runs', 'has stopped running', true],
  ['works at', 'stopped working at', true],
  ['is', 'is no longer than', false],
  ['than', 'no longer than', false],
  ['mind', 'never mind', false],
  ['minds', 'never mind', false],
  ['prefers', 'prefers no longer', false],
  ['never eats', 'no longer eats', false],
  ['', 'never', false],
  ['', 'no longer', false],
  ['wants', 'wants any more', false],
  ['visit', 'did not visit', false],
  ['is ed', 'stopped in', false],
])('%s and %s deny each other: %s', (one, other, denies) => {
  expect([isNegation(one, other), isNegation(other, one)]).toEqual([denies, denies])
})

it('looks few spellings up', () => {
  for (const predicate of [
    'has',
    'prefers',
    'is not',
    'lives in',
    'status',
    'stopped running',
    'did_not_drop',
  ])
    expect(listNegations(predicate).length, predicate).toBeLessThanOrEqual(6)
})

it.each([
  ['never eats', true],
  ['no_longer_uses', true],
  ['is no longer', true],
  ['did not visit', true],
  ['stopped taking', true],
  ['is no longer than', false],
  ['never mind', false],
  ['stopped', false],
  ['stopped at', false],
  ['nevertheless', false],
])('%s has many objects, because it denies something: %s', (predicate, denies) => {
  expect([isDenial(predicate), isListPredicate(predicate)]).toEqual([denies, denies])
})
