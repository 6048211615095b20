import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Match } from '../../../src/retrieval/channels/match.ts'
import { type ChannelMatches, fuse } from '../../../src/retrieval/scoring/fusion.ts'
import type { ScoreInputs } from '../../../src/retrieval/scoring/score-factors.ts'

const day = 86_400_000
const inputs = (salience = 0.5, importance = 0.5, ageDays = 0): ScoreInputs => ({
  salience,
  importance,
  created_at: new Date(1_000 * day - ageDays * day),
})
const inputsOf = (...ids: string[]) => new Map(ids.map((id) => [id, inputs()]))
const matches = (...pairs: [string, number][]): Match[] => pairs.map(([id, score]) => ({ id, score }))
const idsOf = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id)

describe('fusion of channels', () => {
  it('adds the shares of the best score of each channel by weight, and lists the channels', () => {
    const found = { text: matches(['b', 10], ['a', 9]), vector: matches(['a', 0.9], ['b', 0.8]) }
    const [first] = fuse(found, inputsOf('a', 'b'))
    expect(first?.id).toBe('a')
    expect(first?.signals.channels).toEqual([
      { channel: 'vector', rank: 1, weight: 0.2, contribution: 0.2 },
      { channel: 'text', rank: 2, weight: 1, contribution: 0.9 },
    ])
    expect(first?.signals.fused).toBeCloseTo(1.1, 12)
  })

  it('counts a name once, whether a record has its words or is linked with it', () => {
    const found = {
      text: matches(['a', 10], ['b', 9], ['c', 1]),
      graph: matches(['b', 1], ['c', 1], ['d', 1]),
    }
    const nodes = fuse(found, inputsOf('a', 'b', 'c', 'd'))
    expect(nodes.map(({ id, signals }) => [id, signals.fused])).toEqual([
      ['a', 1],
      ['b', 0.9],
      ['c', expect.closeTo(0.3, 12)],
      ['d', 0.3],
    ])
  })

  it('measures vectors from the least similar of those found', () => {
    const nodes = fuse({ vector: matches(['a', 0.9], ['b', 0.8], ['c', 0.7]) }, inputsOf('a', 'b', 'c'))
    expect(nodes.map(({ signals }) => signals.fused)).toEqual([0.2, expect.closeTo(0.1, 12), 0])
  })

  it.each([
    ['salience', inputs(1, 0.5), inputs(0, 0.5)],
    ['importance', inputs(0.5, 1), inputs(0.5, 0)],
    ['creation time', inputs(0.5, 0.5, 0), inputs(0.5, 0.5, 300)],
  ])('puts the record of higher %s first among equally relevant ones', (_, high, low) => {
    const states = new Map([
      ['low', low],
      ['high', high],
    ])
    expect(idsOf(fuse({ text: matches(['low', 5], ['high', 5]) }, states))).toEqual(['high', 'low'])
  })

  it('counts a record of the time that the question names more', () => {
    const states = new Map([
      ['then', inputs(0.5, 0.5, 300)],
      ['now', inputs(0.5, 0.5, 0)],
    ])
    const found = { text: matches(['now', 5], ['then', 4]) }
    const isOfPeriod = (time: Date) => time < new Date(900 * day)
    expect(idsOf(fuse(found, states))).toEqual(['now', 'then'])
    const [first] = fuse(found, states, { isOfPeriod })
    expect([first?.id, first?.signals.time_factor]).toEqual(['then', 1.5])
  })

  it('counts a message of another speaker less if a speaker is named, and changes no other record', () => {
    const states = new Map([
      ['ada', { ...inputs(), speaker: 'Ada' }],
      ['bo', { ...inputs(), speaker: 'Bo' }],
      ['fact', inputs()],
    ])
    const found = { text: matches(['bo', 5], ['fact', 4.5], ['ada', 4]) }
    expect(idsOf(fuse(found, states))).toEqual(['bo', 'fact', 'ada'])
    const nodes = fuse(found, states, { named: new Set(['Ada']) })
    expect(idsOf(nodes)).toEqual(['fact', 'ada', 'bo'])
    expect(nodes.map(({ signals }) => signals.speaker_factor)).toEqual([1, 1, 2 / 3])
    expect(fuse(found, states, { named: new Set(['Ada', 'Bo']) })).toEqual(fuse(found, states))
    expect(fuse(found, states, { named: new Set() })).toEqual(fuse(found, states))
  })

  it('counts a message of an assistant less if the question is about whoever asks, and changes no other record', () => {
    const states = new Map([
      ['advice', { ...inputs(), isOfAssistant: true }],
      ['own', { ...inputs(), isOfAssistant: false }],
      ['fact', inputs()],
    ])
    const found = { text: matches(['advice', 5], ['own', 4.5], ['fact', 4]) }
    expect(idsOf(fuse(found, states))).toEqual(['advice', 'own', 'fact'])
    const nodes = fuse(found, states, { isAboutAsker: true })
    expect(idsOf(nodes)).toEqual(['own', 'fact', 'advice'])
    expect(nodes.map(({ signals }) => signals.speaker_factor)).toEqual([1, 1, 3 / 4])
  })

  it('counts a message of an assistant more if the question is about what it told', () => {
    const states = new Map([
      ['own', { ...inputs(), isOfAssistant: false }],
      ['advice', { ...inputs(), isOfAssistant: true }],
    ])
    const found = { text: matches(['own', 5], ['advice', 4]) }
    const nodes = fuse(found, states, { isAboutReplies: true })
    expect(idsOf(nodes)).toEqual(['advice', 'own'])
    expect(nodes.map(({ signals }) => signals.speaker_factor)).toEqual([4 / 3, 1])
  })

  it('counts an instruction or a preference more if the question is for whoever asks', () => {
    const states = new Map([
      ['fact', { ...inputs(), isGuidance: false }],
      ['preference', { ...inputs(), isGuidance: true }],
    ])
    const found = { text: matches(['fact', 5], ['preference', 4]) }
    expect(idsOf(fuse(found, states))).toEqual(['fact', 'preference'])
    const nodes = fuse(found, states, { isForAsker: true })
    expect(nodes.map(({ id, signals }) => [id, signals.guidance_factor])).toEqual([
      ['preference', 1.7],
      ['fact', 1],
    ])
  })

  it('counts the evidence of a fact half', () => {
    const states = new Map([
      ['evidence', { ...inputs(), statesOnlyFact: true }],
      ['fact', { ...inputs(), statesOnlyFact: false }],
    ])
    const nodes = fuse({ text: matches(['evidence', 5], ['fact', 4]) }, states)
    expect(nodes.map(({ id, signals }) => [id, signals.evidence_factor])).toEqual([
      ['fact', 1],
      ['evidence', 0.5],
    ])
  })

  it('counts a message that only asks half, unless the question is about what was asked', () => {
    const states = new Map([
      ['question', { ...inputs(), onlyAsks: true }],
      ['answer', { ...inputs(), onlyAsks: false }],
    ])
    const found = { text: matches(['question', 5], ['answer', 4]) }
    const nodes = fuse(found, states)
    expect(nodes.map(({ id, signals }) => [id, signals.asking_factor])).toEqual([
      ['answer', 1],
      ['question', 0.5],
    ])
    expect(idsOf(fuse(found, states, { isAboutQuestions: true }))).toEqual(['question', 'answer'])
  })

  it('puts the newer of two statements that say nearly the same first, and moves no other', () => {
    const wordsOf = (...words: string[]) => [...words, 'scope home', 'type episodic']
    const states = new Map([
      ['old', { ...inputs(0.5, 0.5, 300), words: wordsOf('rent', 'is', 'month', '940') }],
      ['new', { ...inputs(0.5, 0.5, 1), words: wordsOf('rent', 'is', 'month', '980') }],
      ['other', { ...inputs(0.5, 0.5, 0), words: wordsOf('rent', 'late') }],
      ['long', { ...inputs(0.5, 0.5, 0), words: null }],
    ])
    const nodes = fuse({ text: matches(['old', 9], ['other', 7], ['long', 6], ['new', 5]) }, states)
    expect(idsOf(nodes)).toEqual(['new', 'old', 'other', 'long'])
    expect(nodes[0]?.score).toBe(nodes[1]?.score)
  })

  it('keeps a newer statement behind an older one that has a word of the question which it lacks', () => {
    const wordsOf = (...words: string[]) => words
    const states = new Map([
      ['anna', { ...inputs(0.5, 0.5, 9), words: wordsOf('anna', 'live', 'berlin') }],
      ['peter', { ...inputs(0.5, 0.5, 0), words: wordsOf('peter', 'live', 'berlin') }],
      ['moved', { ...inputs(0.5, 0.5, 1), words: wordsOf('anna', 'live', 'hamburg') }],
    ])
    const found = { text: matches(['anna', 9], ['moved', 8], ['peter', 4]) }
    expect(idsOf(fuse(found, states, { stems: ['anna', 'live'] }))).toEqual(['moved', 'anna', 'peter'])
  })

  it('keeps the order of two statements that say little of what is asked', () => {
    const words = ['yes', 'of', 'course']
    const states = new Map([
      ['old', { ...inputs(0.5, 0.5, 9), words: [...words, 'billing'] }],
      ['new', { ...inputs(0.5, 0.5, 1), words: [...words, 'billing', 'now'] }],
    ])
    const found = { text: matches(['old', 9], ['new', 8]) }
    const order = (stems: string[]) => idsOf(fuse(found, states, { stems }))
    expect(order(['region', 'billing', 'use'])).toEqual(['old', 'new'])
    expect(order(['billing', 'use'])).toEqual(['new', 'old'])
  })

  it('never lifts a record over one that is 1.13 times as relevant', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true })
    const drawn = fc.record({ salience: unit, importance: unit, age: fc.integer({ min: 0, max: 3_650 }) })
    fc.assert(
      fc.property(drawn, drawn, (one, other) => {
        const states = new Map([
          ['a', inputs(one.salience, one.importance, one.age)],
          ['b', inputs(other.salience, other.importance, other.age)],
        ])
        expect(idsOf(fuse({ text: matches(['a', 1.13], ['b', 1]) }, states))).toEqual(['a', 'b'])
      }),
    )
  })

  it('orders equal scores by id', () => {
    expect(idsOf(fuse({ text: matches(['b', 1], ['a', 1]) }, inputsOf('b', 'a')))).toEqual(['a', 'b'])
  })

  it('leaves out a record without inputs, and keeps the ranks of the others', () => {
    const nodes = fuse({ text: matches(['gone', 2], ['a', 1]) }, inputsOf('a'))
    expect(nodes).toHaveLength(1)
    expect(nodes[0]?.signals.channels[0]?.rank).toBe(2)
  })

  it('answers nothing for no matches', () => {
    expect(fuse({}, new Map())).toEqual([])
  })

  const ids = Array.from({ length: 12 }, (_, index) => `n${index}`)
  const ranking = fc
    .shuffledSubarray(ids)
    .map((found): Match[] => found.map((id, index) => ({ id, score: found.length - index })))
  const drawn = fc.record({ vector: ranking, text: ranking, graph: ranking })

  it('does not depend on the order in which channels or inputs are given', () => {
    fc.assert(
      fc.property(drawn, fc.shuffledSubarray(ids, { minLength: 12 }), (found, order) => {
        const turned = Object.fromEntries(Object.entries(found).reverse()) as ChannelMatches
        expect(fuse(turned, inputsOf(...order))).toEqual(fuse(found, inputsOf(...ids)))
      }),
    )
  })

  it('answers every candidate once, best first', () => {
    fc.assert(
      fc.property(drawn, (found) => {
        const nodes = fuse(found, inputsOf(...ids))
        expect(new Set(idsOf(nodes))).toEqual(new Set(Object.values(found).flatMap(idsOf)))
        const scores = nodes.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((one, other) => other - one))
      }),
    )
  })
})
