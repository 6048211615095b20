import { isDeepStrictEqual } from 'node:util'
import { type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../../bench/load.ts'
import { createSeal } from '../../../src/domain/identity/tombstone-seal.ts'
import { fullTrust, type Trust } from '../../../src/domain/trust/caller.ts'
import { readQuery } from '../../../src/domain/words/text-query.ts'
import { extractWords } from '../../../src/domain/words/word-extraction.ts'
import { insertRecords } from '../../../src/records/creation/record-creation.queries.ts'
import { draftRecord } from '../../../src/records/creation/record-draft.ts'
import { createTextSearch, type TextSearchInput } from '../../../src/retrieval/text/text-search.service.ts'
import { oneDayPolicies } from '../../support/apps/one-day-policies.ts'
import { rootCaller } from '../../support/apps/root-caller.ts'
import { createBm25Ranking, type Document, drawWord, meanLength } from '../../support/checks/bm25.ts'
import { createTestClock } from '../../support/clock.ts'
import { isLongRun } from '../../support/long-run.ts'
import { openTestDatabase } from '../../support/servers/database.ts'
import { idOf } from '../../support/texts/numbered-ids.ts'

const seal = createSeal('a key for texts')
type Text = { text: string; scope?: string; tags?: string[]; sensitivity?: 'low' | 'high' }

async function openStore(language: string) {
  const database = await openTestDatabase()
  const channel = createTextSearch({ clock: createTestClock(), textLanguage: language })
  let stored = 0
  const usual = { trust: fullTrust, conditions: [], limit: 10 }
  const find = (sentence: string, more: Partial<TextSearchInput> = {}) =>
    channel.find(database.db, { query: readQuery(sentence), ...usual, ...more })
  const store = async (texts: readonly Text[]): Promise<string[]> => {
    const drafts = texts.map(({ text, ...rest }) => {
      const payload = { kind: 'working', thread_id: 't', state: 'planning', context_summary: text } as const
      stored += 1
      const context = {
        caller: rootCaller,
        now: new Date('2026-01-01'),
        id: idOf(stored),
        defaultSensitivity: 'low',
        policies: oneDayPolicies,
      } as const
      return draftRecord({ type: 'working', payload, ...rest }, context)
    })
    await insertRecords(database.db, drafts, { textLanguage: language, seal })
    return drafts.map(({ row }) => row.id)
  }
  return { ...database, find, store }
}

type Store = Awaited<ReturnType<typeof openStore>>
let small: Store
let large: Store
const random = createRandom(7)
const vocabulary = 20_000
const drawText = () => {
  const words = Array.from({ length: 8 + Math.floor(random() * 40) }, () => drawWord(random, vocabulary))
  if (random() < 0.2)
    words.push(`src/${drawWord(random, 300)}.ts`, `2026-03-${10 + Math.floor(random() * 20)}`)
  return words.join(' ')
}
const texts = Array.from({ length: 6_000 }, (_, at) => ({ text: drawText(), scope: `project-${at % 60}` }))
const documents: Document[] = texts.map(({ text }, at) => {
  const { text: words, count } = extractWords(text)
  return { id: idOf(at + 1), words: words.split(' '), length: count }
})

beforeAll(async () => {
  small = await openStore('english')
  large = await openStore('simple')
  for (let at = 0; at < texts.length; at += 500) await large.store(texts.slice(at, at + 500))
})
afterAll(async () => {
  await small.close()
  await large.close()
})

const queries = Array.from({ length: isLongRun ? 200 : 40 }, () => {
  const words = Array.from({ length: 1 + Math.floor(random() * 8) }, () => drawWord(random, vocabulary))
  return words.join(' ')
})

const rank = createBm25Ranking(documents)

const listWords = (searched: readonly Document[]) => new Set(searched.flatMap(({ words }) => words))

/** Without the words that no document has: the search corrects them, and BM25 does not. */
function dropUnknown(query: string, known: ReadonlySet<string>): string {
  return query
    .split(' ')
    .filter((word) => known.has(word))
    .join(' ')
}

const idsOf = (matches: readonly { id: string }[]) => matches.map(({ id }) => id)

async function agreement(): Promise<number> {
  const known = listWords(documents)
  let agreed = 0
  for (const drawn of queries) {
    const query = dropUnknown(drawn, known)
    const best = rank([...new Set(extractWords(query).text.split(' '))], 10)
    const found = await large.find(query)
    agreed += Number(isDeepStrictEqual(idsOf(found).sort(), idsOf(best).sort()))
  }
  return agreed / queries.length
}

describe('the ten best matches of the text channel', () => {
  it('equal those of BM25, in a store that was just filled', async () => {
    expect(await agreement()).toBeGreaterThanOrEqual(0.95)
  })

  it('are the same each time', async () => {
    const first = await large.find(queries[3] ?? '')
    for (let time = 0; time < 8; time += 1) expect(await large.find(queries[3] ?? '')).toEqual(first)
  })

  it('are the ten best of the requested scope, with more matches elsewhere', async () => {
    const scopes = ['project-7']
    const within = documents.filter((_, at) => at % 60 === 7)
    const rankWithin = createBm25Ranking(within, meanLength(documents))
    const known = listWords(within)
    for (const drawn of queries.slice(0, 10)) {
      const query = dropUnknown(drawn, known)
      const best = rankWithin([...new Set(extractWords(query).text.split(' '))], 10)
      for (const ask of [{ scopes }, { trust: { maxSensitivity: 'hyper' as const, scopes } }]) {
        const found = await large.find(query, ask)
        expect(idsOf(found).sort()).toEqual(idsOf(best).sort())
      }
    }
  })

  it('do not change with records that the key does not see, scores included', async () => {
    const trust: Trust = { maxSensitivity: 'low', scopes: null }
    const before = await Promise.all(queries.slice(0, 10).map((query) => large.find(query, { trust })))
    const [rare = '', ...words] = queries.slice(0, 10).join(' ').split(' ')
    await large.store(
      Array.from({ length: 60 }, (_, at) => ({
        text: `${rare} ${words.slice(at % 7).join(' ')}`,
        sensitivity: 'high',
      })),
    )
    const after = await Promise.all(queries.slice(0, 10).map((query) => large.find(query, { trust })))
    expect(after).toEqual(before)
  })

  it('are limited after every condition is applied', async () => {
    const [first] = documents
    const conditions = [sql<SqlBool>`r.id = ${first?.id}::uuid`]
    const found = await large.find(first?.words.join(' ') ?? '', { conditions })
    expect(found.map(({ id }) => id)).toEqual([first?.id])
  })

  it('include a new record with a new word at once', async () => {
    const [id] = await large.store([{ text: 'xylophone' }])
    expect((await large.find('where is the xylophone'))[0]?.id).toBe(id)
  })
})

describe('a text in the store', () => {
  it.each([
    ['src/main.ts', 'main'],
    ['user-auth', 'auth'],
    ['2026-03-28', '03'],
    ['ECONNREFUSED', 'econnrefused'],
    ['getUserProfile', 'profile'],
    ['max_retry_count', 'retry'],
  ])('with %s is found by it and by %s, and the whole scores higher', async (whole, part) => {
    const parts = extractWords(whole).text.split(' ').slice(0, -1).reverse().join(' and ')
    const [exact, scattered] = await small.store([
      { text: `opened ${whole} today` },
      { text: `opened ${parts} today` },
    ])
    expect((await small.find(part)).map(({ id }) => id)).toContain(exact)
    const found = await small.find(whole)
    expect(found[0]?.id).toBe(exact)
    expect(found[0]?.id).not.toBe(scattered)
  })

  it.each([
    ['我对海鲜过敏，特别是虾和螃蟹。', '我不能吃什么海鲜？', '我们对新海报很满意。'],
    ['卵アレルギーがあります。', '何のアレルギーですか', '卵を買いました。'],
    ['등산 모임이 일요일로 바뀌었어요.', '등산은 무슨 요일인가요?', '산에서 등불을 봤어요.'],
    ['ผมแพ้กุ้งและปู', 'ใครแพ้กุ้ง', 'ผมชอบร้องเพลง'],
  ])('in a script without spaces is found by a part of its sentence: %s', async (told, question, other) => {
    const [id, otherId] = await small.store([{ text: told }, { text: other }])
    const found = (await small.find(question)).map((each) => each.id)
    expect(found[0]).toBe(id)
    expect(found).not.toContain(otherId)
  })

  it('in a script without spaces must contain a quoted phrase', async () => {
    const [whole] = await small.store([{ text: '旧数据库是 Oracle 11。' }, { text: '数据在旧的仓库里。' }])
    expect((await small.find('"数据库"')).map(({ id }) => id)).toEqual([whole])
  })

  it('is found by a word beside letters of a script without spaces', async () => {
    const [id] = await small.store([{ text: 'SSL証明書の期限は2027年です' }])
    expect((await small.find('SSL certificate 2027'))[0]?.id).toBe(id)
  })

  it('is found by any form of its words in the language of the store', async () => {
    const [id] = await small.store([{ text: 'the migrations were squashed' }])
    expect((await small.find('squashing a migration'))[0]?.id).toBe(id)
  })

  it('must contain a quoted phrase and must not contain a word after a minus', async () => {
    const [straight, turned] = await small.store([
      { text: 'purple walrus dances' },
      { text: 'walrus purple dances' },
    ])
    const idsFor = async (sentence: string) => (await small.find(sentence)).map(({ id }) => id)
    expect(await idsFor('"purple walrus"')).toEqual([straight])
    expect(await idsFor('walrus -"purple walrus"')).toEqual([turned])
    expect(await idsFor('walrus -purple')).toEqual([])
    expect(await idsFor('-purple')).toEqual([])
  })

  it('matches only for keys that see it completely', async () => {
    const [id] = await small.store([{ text: 'zeppelin blueprint', sensitivity: 'high', scope: 'hangar' }])
    const finds = async (trust: Trust) =>
      (await small.find('zeppelin', { trust })).some((each) => each.id === id)
    expect(await finds({ maxSensitivity: 'high', scopes: ['hangar'] })).toBe(true)
    expect(await finds({ maxSensitivity: 'medium', scopes: ['hangar'] })).toBe(false)
    expect(await finds({ maxSensitivity: 'high', scopes: ['garage'] })).toBe(false)
  })

  it('has a score that does not depend on hidden records, even in a small store', async () => {
    const trust: Trust = { maxSensitivity: 'low', scopes: null }
    await small.store([{ text: 'otter raft' }, { text: 'raft of logs' }, { text: 'otter on a slide' }])
    const before = await small.find('otter raft', { trust })
    await small.store(
      Array.from({ length: 9 }, () => ({ text: 'otter otter', sensitivity: 'high' as const })),
    )
    expect(await small.find('otter raft', { trust })).toEqual(before)
    expect(before).toHaveLength(3)
  })

  it('does not match a question of only signs or stop words', async () => {
    for (const sentence of ['', '   ', '---', '""', 'the of and', "'; drop table x; --", '\\']) {
      expect(Array.isArray(await small.find(sentence))).toBe(true)
    }
  })
})
