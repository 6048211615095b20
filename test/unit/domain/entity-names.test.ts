import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Candidate, chooseEntity, isCompatibleKind } from '../../../src/domain/identity/entity-match.ts'
import { normaliseName } from '../../../src/domain/words/names.ts'
import { anyCharacter } from '../../support/texts/any-character.ts'

describe('the normal form of a name', () => {
  it.each([
    ['  Auth   Middleware ', 'auth middleware'],
    ['Ｏｒｉｏｎ', 'orion'],
    ['ﬁle\n\tserver', 'file server'],
    ['STRASSE\u00a07', 'strasse 7'],
    [' \n ', ''],
  ])('of %j is %j', (input, spelt) => {
    expect(normaliseName(input)).toBe(spelt)
  })

  it('of a normal form is the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(normaliseName(normaliseName(text))).toBe(normaliseName(text))
        expect(normaliseName(`  ${text}\n`)).toBe(normaliseName(text))
      }),
    )
  })

  it('of a plain name is made like every other', () => {
    const separator = fc.constantFrom('', ' ', '  ', '\t', '\n')
    const word = fc.string({ unit: 'grapheme-ascii' })
    fc.assert(
      fc.property(separator, word, separator, word, separator, (before, one, between, other, after) => {
        const text = before + one + between + other + after
        const spelt = text.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll(/\s+/gu, ' ').trim()
        expect(normaliseName(text)).toBe(spelt)
      }),
    )
  })
})

describe('whether two kinds are compatible', () => {
  it.each([
    ['Project', 'project', true],
    ['Project', 'File', false],
    ['Other', 'File', true],
    ['Person', 'Concept', true],
    ['', 'File', true],
  ])('for %j and %j is %s', (kind, other, expected) => {
    expect(isCompatibleKind(kind, other)).toBe(expected)
  })
})

const at = (day: number) => new Date(Date.UTC(2026, 0, day))

function candidate(
  id: string,
  { scope = 'team', status = 'active', day = 1, ...payload }: Record<string, unknown> & { day?: number } = {},
): Candidate {
  return {
    id,
    scope: String(scope),
    status: String(status),
    created_at: at(day),
    payload: {
      canonical_name: 'Orion',
      primary_type: 'Project',
      types: [],
      aliases: [],
      identifiers: [],
      ...payload,
    },
  }
}

const alias = { canonical_name: 'Project O', aliases: [{ value: 'ORION ' }] }
const identifier = { ...alias, primary_type: 'File', identifiers: [{ namespace: 'git', value: 'orion' }] }
const mention = { surface: ' orion', entity_kind: 'Project' }

function chosen(...candidates: Candidate[]) {
  const [one, other] = [candidates, candidates.toReversed()].map((each) =>
    chooseEntity(mention, each, 'team'),
  )
  expect(one?.id).toBe(other?.id)
  return one?.id
}

describe('the resolution of a mention', () => {
  it('finds the entity by its name in any spelling', () => {
    expect(chosen(candidate('a'))).toBe('a')
    expect(chosen(candidate('a', alias))).toBe('a')
    expect(chosen(candidate('a', { canonical_name: 'Orion II' }))).toBeUndefined()
    expect(chosen()).toBeUndefined()
  })

  it('finds no entity of another kind, except by identifier', () => {
    expect(chosen(candidate('a', { primary_type: 'File' }))).toBeUndefined()
    expect(chosen(candidate('a', { primary_type: 'File', types: ['Project'] }))).toBe('a')
    expect(chosen(candidate('a', { primary_type: 'Other' }))).toBe('a')
    expect(chosen(candidate('a', identifier))).toBe('a')
    const full = { surface: 'git:orion', entity_kind: 'Project' }
    expect(chooseEntity(full, [candidate('a', identifier)], 'team')?.id).toBe('a')
  })

  it('finds no entity of another scope or one that was withdrawn', () => {
    expect(chosen(candidate('a', { scope: 'other' }))).toBeUndefined()
    expect(chosen(candidate('a', { ...identifier, scope: 'other' }))).toBeUndefined()
    for (const status of ['merged', 'superseded', 'invalidated']) {
      expect(chosen(candidate('a', { status }))).toBeUndefined()
    }
  })

  it.each([
    ['an identifier of no scope', { ...identifier, scope: '' }, 'a name of its own', {}],
    ['an alias of its own scope', alias, 'a name of none', { scope: '' }],
    ['a name', { day: 9 }, 'an alias', alias],
    ['a name that is challenged', { status: 'challenged' }, 'an alias', alias],
    ['an active one', { day: 9 }, 'a challenged one', { status: 'challenged' }],
    ['the older', { day: 1 }, 'the newer', { day: 2 }],
  ])('prefers %s to %s', (_, first, _other, second) => {
    expect(chosen(candidate('b', first), candidate('a', second))).toBe('b')
  })

  it('prefers the lower id between equals', () => {
    expect(chosen(candidate('a'), candidate('b'))).toBe('a')
  })

  it('reads the names and types of an entity once for all mentions', () => {
    let reads = 0
    const countReads = <T>(list: T[]): T[] =>
      new Proxy(list, {
        get: (target, name) => {
          if (name === '0') reads++
          return Reflect.get(target, name)
        },
      })
    const named = candidate('a', {
      canonical_name: 'Else',
      aliases: countReads([{ value: 'Orion' }]),
      types: countReads(['Project']),
      identifiers: countReads([{ namespace: 'git', value: 'x' }]),
    })
    for (let place = 0; place < 50; place++) expect(chooseEntity(mention, [named], 'team')).toBe(named)
    expect(reads).toBe(3)
  })
})
