import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getRank, sensitivities, type Trust } from '../../../src/domain/trust/caller.ts'
import {
  type CandidateNode,
  listEdgesAmong,
  type Neighbour,
  selectNextHop,
} from '../../../src/retrieval/expansion/expansion.ts'
import { listNames } from '../../../src/retrieval/question/names-in-question.ts'
import { canShowRedacted, narrowTrust, readQuestion } from '../../../src/retrieval/question/question.ts'
import { neutralFactors } from '../../../src/retrieval/scoring/score-factors.ts'
import { anyCharacter } from '../../support/texts/any-character.ts'

const scope = fc.constantFrom('a', 'b', 'c', 'd')
const scopes = fc.uniqueArray(scope, { maxLength: 4 })
const trust: fc.Arbitrary<Trust> = fc.record({
  maxSensitivity: fc.constantFrom(...sensitivities),
  scopes: fc.option(scopes),
})

describe('a narrowed trust', () => {
  it('allows exactly what both allow', () => {
    const requests = fc.record(
      { max_sensitivity: fc.constantFrom(...sensitivities), scopes },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(trust, requests, scope, (own, narrower, each) => {
        const narrow = narrowTrust(own, narrower)
        const ceiling = Math.min(getRank(own.maxSensitivity), getRank(narrower.max_sensitivity ?? 'hyper'))
        expect(getRank(narrow.maxSensitivity)).toBe(ceiling)
        const isNamed = !narrower.scopes?.length || narrower.scopes.includes(each)
        const isOwn = own.scopes?.includes(each) ?? true
        expect(narrow.scopes?.includes(each) ?? true).toBe(isNamed && isOwn)
      }),
    )
  })
})

describe('a retrieval request', () => {
  const own: Trust = { maxSensitivity: 'low', scopes: null }
  const now = new Date('2026-03-28T09:30:00.000Z')

  it('asks for the present and active records by default', () => {
    const question = readQuestion({}, own, now)
    expect(question).toMatchObject({ at: now, isPast: false, statuses: ['active'], includesExpired: false })
    expect(canShowRedacted(question)).toBe(true)
  })

  it('can show redacted records only when no condition is on hidden fields', () => {
    const shows = (request: object) => canShowRedacted(readQuestion(request, own, now))
    expect([{ memory_types: ['entity'] }, { scopes: ['a'] }, { min_salience: 0.1 }].map(shows)).toEqual([
      true,
      true,
      true,
    ])
    const hidden = [
      { mode: 'facts_only' },
      { layers: ['working'] },
      { tags: ['a'] },
      { min_importance: 0 },
      { as_of: '2026-03-28T09:29:59.999Z' },
    ]
    expect(hidden.map(shows)).toEqual(hidden.map(() => false))
  })
})

describe('the search for names in a text', () => {
  it('returns single words and neighbouring words, longest first', () => {
    expect(listNames('ask Ada Lovelace')).toEqual([
      'ask Ada Lovelace',
      'ask Ada',
      'Ada Lovelace',
      'ask',
      'Ada',
      'Lovelace',
    ])
  })

  it('removes punctuation around names', () => {
    for (const [sentence, name] of [
      ['("user-auth"),', 'user-auth'],
      ["Orion's?", 'Orion'],
      ['why src/main.ts.', 'src/main.ts'],
      ['is it C++?', 'C++'],
      ['use .NET!', '.NET'],
    ] as const) {
      expect([sentence, listNames(sentence).includes(name)]).toEqual([sentence, true])
    }
  })

  it('limits the number of names', () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ')
    expect(listNames(text).length).toBeLessThan(1_000)
    expect(listNames('!'.repeat(10_000))).toEqual([])
    expect(listNames(`${'! '.repeat(5_000)}`).length).toBeLessThan(10)
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (any) => void listNames(any)))
  })
})

describe('one hop of the expansion', () => {
  const createNode = (id: string, score: number): CandidateNode => ({
    id,
    hop: 0,
    score,
    isOpen: true,
    signals: { channels: [], fused: score, ...neutralFactors },
  })
  const edge = (source_id: string, target_id: string, more: Partial<Neighbour> = {}): Neighbour => ({
    source_id,
    target_id,
    predicate: 'near',
    weight: 1,
    created_at: new Date(0),
    isOpen: true,
    salience: 1,
    importance: 0.5,
    ...more,
  })
  const nodes = new Map([createNode('a', 1), createNode('b', 0.5)].map((node) => [node.id, node]))

  it('takes the best path to each neighbour, and the best neighbours', () => {
    const found = [
      edge('b', 'x'),
      edge('a', 'x'),
      edge('a', 'y', { weight: 0.1 }),
      edge('b', 'z'),
      edge('a', 'b'),
    ]
    const grown = selectNextHop(nodes, found, 1, 2)
    expect(grown.map(({ id, hop, score }) => [id, hop, score])).toEqual([
      ['x', 1, 0.5],
      ['z', 1, 0.25],
    ])
    expect(grown[0]?.signals.via?.source_id).toBe('a')
    expect(selectNextHop(nodes, found, 1, -1)).toEqual([])
  })

  it('does not depend on the order of the edges', () => {
    const ids = fc.constantFrom('x', 'y', 'z', 'u', 'v')
    const drawn = fc.record({ from: fc.constantFrom('a', 'b'), to: ids, weight: fc.constantFrom(0, 0.5, 1) })
    fc.assert(
      fc.property(fc.array(drawn), fc.nat(6), (edges, room) => {
        const found = edges.map(({ from, to, weight }) => edge(from, to, { weight, predicate: `p${weight}` }))
        expect(selectNextHop(nodes, [...found].reverse(), 1, room)).toEqual(
          selectNextHop(nodes, found, 1, room),
        )
      }),
    )
  })

  it('keeps only edges with both ends', () => {
    const found = [edge('a', 'x'), edge('b', 'x'), edge('a', 'y')]
    expect(
      listEdgesAmong(['a', 'x'], found, 10).map(({ source_id, target_id }) => [source_id, target_id]),
    ).toEqual([['a', 'x']])
    expect(listEdgesAmong(['a', 'b', 'x', 'y'], found, 2)).toHaveLength(2)
  })
})
