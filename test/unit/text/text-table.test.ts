import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../bench/load.ts'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { formatUuid } from '../../../src/kernel/ids.ts'
import { b, computeIdf, k1 } from '../../../src/retrieval/text/bm25.ts'
import { createConversationOrder } from '../../../src/retrieval/text/memory/conversation-order.ts'
import { numberDays } from '../../../src/retrieval/text/memory/day-numbers.ts'
import type { StoredText } from '../../../src/retrieval/text/memory/stored-text.ts'
import { createTextTable } from '../../../src/retrieval/text/memory/text-table.ts'
import { encodeSearchVector } from '../../support/checks/search-vectors.ts'

const everything = { trust: fullTrust } as const
const options = {
  averageLength: 10,
  most: 10,
  occurrences: new Map<string, number>(),
  remarked: new Set<string>(),
  related: [],
  inflected: [],
}

type Counts = Record<string, number>

/** A name of up to 16 letters as a UUID, and back. */
const idNamed = (name: string) => formatUuid(Buffer.from(name.padEnd(16, '\0')))
const nameOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString().replaceAll('\0', '')

function textOf(name: string, counts: Counts, more: Partial<StoredText> = {}): StoredText {
  const id = idNamed(name)
  const words = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return {
    id,
    version: [1, 0],
    time: 0,
    day: '2026-01-01',
    scope: 'team',
    type: 'episodic',
    sensitivity: 'low',
    asks: false,
    isOnlyName: false,
    statesOnlyFact: false,
    isGuidance: false,
    onlyAsks: false,
    words,
    search: encodeSearchVector(counts),
    ...more,
  }
}

function tableOf(texts: readonly StoredText[]) {
  const table = createTextTable()
  for (const text of texts) expect(table.add(text)).toBe(true)
  const find = (
    words: string[],
    searched: Parameters<typeof table.rank>[1] = everything,
    more: object = {},
  ) =>
    table.rank(words, searched, { ...options, ...more }).best.map(({ place, score }) => ({
      id: nameOf(table.getId(place)),
      score,
    }))
  const idsOf = (...asked: Parameters<typeof find>) => find(...asked).map(({ id }) => id)
  return { table, find, idsOf }
}

describe('a table of texts', () => {
  it('ranks as BM25 does', () => {
    const random = createRandom(2)
    const words = Array.from({ length: 40 }, (_, at) => `w${at}`)
    const texts = Array.from({ length: 500 }, (_, at) => {
      const counts: Counts = {}
      for (let drawn = 0; drawn < 3 + 20 * random(); drawn++) {
        const word = words[Math.floor(40 * random() ** 2)] ?? ''
        counts[word] = (counts[word] ?? 0) + 1
      }
      return { id: `t${at}`, counts }
    })
    const { find } = tableOf(texts.map(({ id, counts }) => textOf(id, counts)))
    const asked = ['w3', 'w17', 'w39', 'unknown']
    const idfs = asked.map((word) =>
      computeIdf(texts.filter(({ counts }) => counts[word]).length, { rows: 500 }),
    )
    const scored = texts.map(({ id, counts }) => {
      const length = Object.values(counts).reduce((sum, count) => sum + count, 0)
      const score = asked.reduce((sum, word, at) => {
        const count = counts[word] ?? 0
        return sum + ((idfs[at] ?? 0) * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / 10))
      }, 0)
      return { id, score }
    })
    const expected = scored.sort((one, other) => other.score - one.score).slice(0, 10)
    const found = find(asked)
    expect(found.map(({ score }) => score.toFixed(6))).toEqual(expected.map(({ score }) => score.toFixed(6)))
    expect(find(asked)).toEqual(found)
  })

  it('counts only what the caller sees, and searches only what is asked for', () => {
    const visible = [textOf('a', { tea: 1, cup: 1 }), textOf('b', { tea: 1 }), textOf('c', { pot: 1 })]
    const hidden = Array.from({ length: 20 }, (_, at) =>
      textOf(`h${at}`, { cup: 3, tea: 2 }, at % 2 ? { sensitivity: 'high' } : { scope: 'other' }),
    )
    const key = { trust: { maxSensitivity: 'low', scopes: ['team'] } } as const
    const alone = tableOf(visible)
    const among = tableOf([...hidden, ...visible])
    expect(among.find(['cup', 'tea'], key)).toEqual(alone.find(['cup', 'tea'], key))
    expect(among.idsOf(['tea'], { ...key, types: ['semantic'] })).toEqual([])
    expect(among.idsOf(['tea'], { ...everything, scopes: ['other'] })).toHaveLength(10)
    const unscoped = tableOf([textOf('u', { tea: 1 }, { scope: '' })])
    expect(unscoped.idsOf(['tea'], key)).toEqual(['u'])
    expect(unscoped.idsOf(['tea'], { ...key, scopes: ['team'] })).toEqual([])
  })

  it('drops texts that have gone from the lists of their words, and words that no text has', () => {
    const { table, idsOf } = tableOf([textOf('a', { tea: 1, cup: 1 }), textOf('b', { tea: 1 })])
    table.remove(idNamed('a'))
    for (let list: number | undefined = 0; list !== undefined; ) list = table.dropGone(list)
    expect(table.countKept()).toBe(1)
    expect(idsOf(['tea', 'cup'])).toEqual(['b'])
    expect(table.add(textOf('c', { cup: 1, tea: 2 }))).toBe(true)
    expect(idsOf(['cup'])).toEqual(['c'])
    expect(idsOf(['tea'])).toEqual(['c', 'b'])
    expect(table.countWords([2, 1], ['tea', 'cup', 'pot'])).toEqual([
      [2, 1, 0],
      [1, 0, 0],
    ])
  })

  it('has one text of a record, the last one that was added, and says its version', () => {
    const { table, idsOf } = tableOf([textOf('a', { tea: 1 }, { version: [7, 8] })])
    expect(table.findVersion(idNamed('a'))).toEqual([7, 8])
    expect(table.add(textOf('a', { coffee: 1 }, { version: [5, 8] }))).toBe(true)
    expect(table.findVersion(idNamed('a'))).toEqual([5, 8])
    expect(table.countKept()).toBe(1)
    expect(idsOf(['tea'])).toEqual([])
    expect(idsOf(['coffee'])).toEqual(['a'])
    table.remove(idNamed('a'))
    expect(idsOf(['coffee'])).toEqual([])
    expect(table.findVersion(idNamed('a'))).toBeUndefined()
    expect(table.describe(idNamed('a'))).toBeUndefined()
  })

  it('keeps conversations of different scopes apart', () => {
    const message = (name: string, scope: string, conversation: string, at: number) =>
      textOf(
        name,
        { tea: 1 },
        { scope, message: { conversation, at, arrival: at, speaker: null, isOfAssistant: false } },
      )
    const { table } = tableOf([message('a', 'red', 'tea room', 1), message('b', 'red tea', 'room', 2)])
    expect(table.findSurroundings(0, { distance: 2, gapMs: 10 })?.messages).toHaveLength(1)
  })

  it('finds the texts of some days', () => {
    const { table, idsOf } = tableOf([
      textOf('may', { tea: 1 }, { day: '2025-05-31' }),
      textOf('june', { tea: 1 }, { day: '2025-06-01' }),
      textOf('never', { tea: 1 }, { day: 'some day' }),
    ])
    const days = numberDays([['2025-06-01', '2025-06-30']])
    expect(idsOf(['tea'], everything, { days })).toEqual(['june'])
    expect(table.isOfDays(0, days)).toBe(false)
    expect(table.isOfDays(0, undefined)).toBe(true)
  })

  it('knows which messages are of an assistant', () => {
    const said = { conversation: 'talk', at: 1, arrival: 1, speaker: null }
    const { table } = tableOf([
      textOf('a', { tea: 1 }, { message: { ...said, isOfAssistant: true }, asks: true }),
      textOf('b', { tea: 1 }, { message: { ...said, isOfAssistant: false } }),
      textOf('c', { tea: 1 }),
    ])
    const found = ['a', 'b', 'c'].map((name) => table.describe(idNamed(name))?.isOfAssistant)
    expect(found).toEqual([true, false, false])
    expect([0, 1].map((place) => table.readMessage(place)?.asks)).toEqual([true, false])
  })

  it('knows the words of short statements, and no words with a space', () => {
    const { table, idsOf } = tableOf([
      textOf('short', { tea: 2, 'scope team': 1 }, { time: 5 }),
      textOf('long', { tea: 61 }),
      textOf('entity', { tea: 1 }, { type: 'entity', isOnlyName: true }),
    ])
    expect(table.describe(idNamed('short'))).toEqual({
      created_at: new Date(5),
      words: ['tea'],
      speaker: null,
      isOfAssistant: false,
      isOnlyName: false,
      statesOnlyFact: false,
      isGuidance: false,
      onlyAsks: false,
    })
    expect(table.describe(idNamed('long'))?.words).toBeNull()
    expect(table.describe(idNamed('entity'))).toMatchObject({ words: null, isOnlyName: true })
    expect(idsOf(['scope team'])).toEqual([])
  })
})

describe('the order of a conversation', () => {
  const minute = 60_000
  const order = createConversationOrder()
  const talk = { conversation: 'talk' }
  const minutes = [0, 1, 2, 3, 90, 91]
  const arrived = [3, 0, 5, 1, 4, 2]
  for (const number of arrived) {
    order.push({ ...talk, at: (minutes[number] ?? 0) * minute, arrival: number, speaker: null })
    order.push(undefined)
  }
  /** By the numbers of the messages; what is no message has a place between two of them. */
  const around = (number: number, distance: number) => {
    const near = order.findSurroundings(2 * arrived.indexOf(number), { distance, gapMs: 30 * minute })
    const { messages = [], ...cut } = near ?? {}
    return { numbers: messages.map(({ place }) => arrived[place / 2]), ...cut }
  }

  it('is that of the times, whatever order they came in', () => {
    expect(around(1, 9)).toEqual({ ...talk, numbers: [0, 1, 2, 3], isCutBefore: false, isCutAfter: false })
  })

  it('ends at a pause, and at the distance', () => {
    expect(around(4, 2)).toEqual({ ...talk, numbers: [4, 5], isCutBefore: false, isCutAfter: false })
    expect(around(1, 1)).toEqual({ ...talk, numbers: [0, 1, 2], isCutBefore: false, isCutAfter: true })
    expect(around(3, 2)).toEqual({ ...talk, numbers: [1, 2, 3], isCutBefore: true, isCutAfter: false })
  })

  it('has no place for what is no message, or has gone', () => {
    expect(order.findSurroundings(1, { distance: 2, gapMs: minute })).toBeUndefined()
    const gone = createConversationOrder()
    for (const at of [1, 2]) gone.push({ ...talk, at, arrival: at, speaker: null })
    gone.remove(0)
    expect(gone.findSurroundings(0, { distance: 2, gapMs: minute })).toBeUndefined()
    expect(
      gone.findSurroundings(1, { distance: 2, gapMs: minute })?.messages.map(({ place }) => place),
    ).toEqual([1])
  })
})
