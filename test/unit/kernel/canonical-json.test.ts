import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCanonicalJson } from '../../../src/kernel/canonical-json.ts'
import { anyCharacter } from '../../support/texts/any-character.ts'

/** How earlier versions wrote it. Fingerprints that they stored must still match after an upgrade. */
function writeAsBefore(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    return Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

const name = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    'toJSON',
    'constructor',
    'length',
    '',
    '-0',
    '01',
    '1e3',
    '4294967295',
    'é',
    'e\u0301',
    '\ud800',
  ),
  fc.nat().map(String),
)
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: anyCharacter }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(name, tie('json'), { maxKeys: 8 }),
  ),
}))

describe('canonical JSON', () => {
  it('is what earlier versions wrote for every body', () => {
    fc.assert(
      fc.property(json, (value) => {
        const body: unknown = JSON.parse(JSON.stringify(value))
        expect(formatCanonicalJson(body)).toBe(writeAsBefore(body))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is the same for any order and any names of the members', () => {
    const one = { toJSON: 1, b: { y: [1, { d: 1, c: 2 }], x: 1 }, 10: 1, 9: 2 }
    const other = { 9: 2, 10: 1, b: { x: 1, y: [1, { c: 2, d: 1 }] }, toJSON: 1 }
    expect(formatCanonicalJson(one)).toBe(formatCanonicalJson(other))
  })
})
