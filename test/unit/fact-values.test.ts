import { describe, expect, it } from 'vitest'
import { isListPredicate } from '../../src/domain/handles.ts'
import { isSameValue } from '../../src/domain/names.ts'

describe('the object of a fact', () => {
  it.each([
    ['Lisbon', 'lisbon.', true],
    ['Lisbon!', 'LISBON', true],
    ['41', 41, true],
    ['true', true, true],
    ['法兰克福', '法兰克福。', true],
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
