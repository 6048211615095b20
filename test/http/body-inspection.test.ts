import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findUnstorableValues } from '../../src/http/validation/body-inspection.ts'

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)

describe('the search for values that cannot be stored', () => {
  it('returns nothing for any JSON that the store can hold', () => {
    const text = fc
      .string({ unit: 'grapheme' })
      .filter((each) => !each.includes('\0') && each !== '__proto__')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    }))
    fc.assert(
      fc.property(value, (body) => {
        expect(findUnstorableValues(body)).toEqual([])
      }),
    )
  })

  it.each([
    ['a NUL in a string', '{"a":{"b":["x","y\\u0000"]}}', '/a/b/1', 'must not contain a NUL character'],
    [
      'a NUL in a key',
      '{"a":{"b\\u0000":1}}',
      '/a',
      'has a field whose name must not contain a NUL character',
    ],
    ['a lone surrogate', '["\\ud800"]', '/0', 'must be well-formed Unicode, without lone surrogates'],
    ['a number that overflows', '{"a/b":1e999}', '/a~1b', 'must be a finite number'],
    [
      'a __proto__ key',
      '{"a":[{"__proto__":{"admin":true}}]}',
      '/a/0',
      'has a field __proto__, which is not allowed',
    ],
    ['a NUL as the whole body', '"\\u0000"', '', 'must not contain a NUL character'],
  ])('points at %s', (_name, json, pointer, message) => {
    expect(findUnstorableValues(JSON.parse(json))).toEqual([{ pointer, message }])
  })

  it('continues after a fault to find the next', () => {
    const faults = findUnstorableValues(JSON.parse('{"a":"\\u0000","b":1e999,"~c":["ok","\\udfff"]}'))
    expect(faults.map(({ pointer }) => pointer)).toEqual(['/a', '/b', '/~0c/1'])
  })

  it('accepts a hundred levels and refuses one more', () => {
    expect(findUnstorableValues(nested(100))).toEqual([])
    expect(findUnstorableValues(nested(101))).toEqual([
      { pointer: '/0'.repeat(100), message: 'is nested more than 100 levels deep' },
    ])
  })

  it('does not overflow the stack on a million levels', () => {
    expect(findUnstorableValues(nested(1_000_000))).toHaveLength(1)
  })

  it('counts characters as code points, so that 100,000 of any kind fit', () => {
    expect(findUnstorableValues('x'.repeat(100_000))).toEqual([])
    expect(findUnstorableValues('🙂'.repeat(100_000))).toEqual([])
    expect(findUnstorableValues('🙂'.repeat(100_001))).toHaveLength(1)
    expect(findUnstorableValues('x'.repeat(100_001))).toEqual([
      { pointer: '', message: 'must have at most 100000 characters' },
    ])
  })

  it('stops after a hundred faults', () => {
    expect(findUnstorableValues(Array.from({ length: 500_000 }, () => '\0'))).toHaveLength(100)
  })

  it('points at what encloses a fault behind many long keys', () => {
    const nul = '"\\u0000"'
    const body = `${`{"${'k'.repeat(20_000)}":`.repeat(90)}[${nul},${nul}]${'}'.repeat(90)}`
    const pointers = findUnstorableValues(JSON.parse(body)).map(({ pointer }) => pointer)
    expect(pointers).toEqual(Array(2).fill(`/${'k'.repeat(200)}`.repeat(5)))
  })
})
