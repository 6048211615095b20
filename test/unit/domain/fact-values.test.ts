import { describe, expect, it } from 'vitest'
import { isListPredicate } from '../../../src/domain/identity/handles.ts'
import { isSameValue } from '../../../src/domain/words/names.ts'

describe('the object of a fact', () => {
  it.each([
    ['Lisbon', 'lisbon.', true],
    ['Lisbon!', 'LISBON', true],
    ['41', 41, true],
    ['true', true, true],
    ['法兰克福', '法兰克福。', true],
    ['9:00', '09:00', true],
    ['from 9:00 to 17:30.', 'from 9 AM to 5:30 p.m.', true],
    ['12 am', '0:00', true],
    ['12:15 pm', '12:15', true],
    ['9:00', '19:00', false],
    ['9', '9:00', false],
    ['1.9:00', '1.09:00', false],
    ['13 pm', '1 am', false],
    ['Lisbon', 'Lisbon?', false],
    ['4.1', 41, false],
    ['...', '!', false],
    ['1', true, false],
    [null, 'null', false],
    [['Lisbon'], 'Lisbon', false],
  ])('is the same value in another spelling: %j and %j', (one, other, isSame) => {
    expect([isSameValue(one, other), isSameValue(other, one)]).toEqual([isSame, isSame])
  })

  it.each([
    ['likes', true],
    ['LIKES', true],
    ['does not like', true],
    ['does not live in', true],
    ["isn't", true],
    ['is_allergic_to', true],
    ['interested in', true],
    ['speaks', true],
    ['lives in', false],
    ['prefers', false],
    ['is', false],
    ['likes to live in', false],
    ['runs on', false],
  ])('is one of several where the predicate is of a list: %s', (predicate, isList) => {
    expect(isListPredicate(predicate)).toBe(isList)
  })
})
