import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuse, type Rankings, type ScoreInputs } from '../../src/retrieval/fusion.ts'
import { channelWeights } from '../../src/retrieval/intent.ts'

const standing = (salience = 1, importance = 0.5): ScoreInputs => ({ salience, importance })
const standings = (...ids: string[]) => new Map(ids.map((id) => [id, standing()]))
const { what, who } = channelWeights

describe('fuse', () => {
  it('adds weight ÷ (60 + rank) over the channels and names the channels', () => {
    const [first] = fuse({ text: ['b', 'a'], graph: ['a'] }, who, standings('a', 'b'))
    expect(first?.id).toBe('a')
    expect(first?.signals.channels).toEqual([
      { channel: 'text', rank: 2, weight: 0.8, contribution: 0.8 / 62 },
      { channel: 'graph', rank: 1, weight: 1.8, contribution: 1.8 / 61 },
    ])
    expect(first?.signals.fused).toBeCloseTo(0.8 / 62 + 1.8 / 61, 15)
  })

  it.each([
    [0, 0, 0.5, 0.8],
    [0.5, 0.5, 0.75, 1],
    [1, 1, 1, 1.2],
    [7, 1, 1, 1.2],
  ])(
    'multiplies for salience %d and importance %d by %d and %d',
    (salience, importance, bySalience, byImportance) => {
      const [node] = fuse({ text: ['a'] }, what, new Map([['a', standing(salience, importance)]]))
      expect(node?.signals.salience_factor).toBeCloseTo(bySalience, 12)
      expect(node?.signals.importance_factor).toBeCloseTo(byImportance, 12)
      expect(node?.score).toBeCloseTo((bySalience * byImportance) / 61, 12)
    },
  )

  it('orders equal scores by id', () => {
    const rankings = { text: ['b', 'a'], vector: ['a', 'b'] }
    expect(fuse(rankings, what, standings('b', 'a')).map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('counts an id that a channel lists twice once, at its better rank', () => {
    const nodes = fuse({ text: ['a', 'a', 'b'] }, what, standings('a', 'b'))
    expect(nodes.map(({ signals }) => signals.channels.map(({ rank }) => rank))).toEqual([[1], [2]])
  })

  it('drops candidates without a state and keeps the ranks of the others', () => {
    const nodes = fuse({ text: ['gone', 'a'] }, what, standings('a'))
    expect(nodes).toHaveLength(1)
    expect(nodes[0]?.signals.channels[0]?.rank).toBe(2)
  })

  it('returns nothing for no candidates', () => {
    expect(fuse({}, what, new Map())).toEqual([])
  })

  const ids = Array.from({ length: 12 }, (_, index) => `n${index}`)
  const ranking = fc.shuffledSubarray(ids)
  const drawn = fc.record({ vector: ranking, text: ranking, graph: ranking, salience: ranking })

  it('does not depend on the order of channels or candidates', () => {
    fc.assert(
      fc.property(drawn, fc.shuffledSubarray(ids, { minLength: 12 }), (rankings, order) => {
        const turned = Object.fromEntries(Object.entries(rankings).reverse()) as Rankings
        expect(fuse(turned, who, standings(...order))).toEqual(fuse(rankings, who, standings(...ids)))
      }),
    )
  })

  it('returns each candidate once, best first', () => {
    fc.assert(
      fc.property(drawn, (rankings) => {
        const nodes = fuse(rankings, what, standings(...ids))
        expect(new Set(nodes.map(({ id }) => id))).toEqual(new Set(Object.values(rankings).flat()))
        const scores = nodes.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((one, other) => other - one))
      }),
    )
  })

  it('never ranks a candidate lower when a further channel finds it', () => {
    fc.assert(
      fc.property(drawn, fc.constantFrom(...ids), (rankings, id) => {
        const place = (given: Rankings) =>
          fuse(given, what, standings(...ids)).findIndex((node) => node.id === id)
        const without = { ...rankings, graph: [] }
        if (place(without) < 0) return
        expect(place({ ...without, graph: [id] })).toBeLessThanOrEqual(place(without))
      }),
    )
  })
})
