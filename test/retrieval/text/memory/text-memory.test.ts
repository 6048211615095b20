import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../../../bench/load.ts'
import { transact } from '../../../../src/db/transaction.ts'
import { fullTrust, type Trust } from '../../../../src/domain/trust/caller.ts'
import { readQuery } from '../../../../src/domain/words/text-query.ts'
import { createTextMemory } from '../../../../src/retrieval/text/memory/text-memory.service.ts'
import { createTextSearch, type TextSearchInput } from '../../../../src/retrieval/text/text-search.service.ts'
import { createConversationRequests, say } from '../../../support/requests/conversation-requests.ts'
import type { Body } from '../../../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../../../support/test-app.ts'

const textLanguage = 'english'
const random = createRandom(3)
const words = Array.from({ length: 400 }, (_, at) => `word${String.fromCharCode(97 + (at % 26))}${at}`)
const draw = () => words[Math.floor(words.length * random() ** 2)] ?? ''
const sentence = (length: number) => Array.from({ length }, draw).join(' ')

let app: TestApp
const { append } = createConversationRequests(() => app)

/** 1,600 messages of forty conversations in two scopes; a quarter of them are highly sensitive. */
beforeAll(async () => {
  app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) } })
  for (let talk = 0; talk < 40; talk++) {
    const messages = Array.from({ length: 40 }, (_, at) => {
      const day = 1 + Math.floor(random() * 28)
      const when = new Date(Date.UTC(2025, talk % 12, day, 8, at)).toISOString()
      return say(`m${at}`, `${sentence(4 + Math.floor(12 * random()))}${random() < 0.2 ? '?' : ''}`, {
        at: when,
        ...(random() < 0.8 ? { name: random() < 0.5 ? 'Ada' : 'Bo' } : {}),
      })
    })
    const more = { scope: talk % 2 ? 'red' : 'blue', sensitivity: talk % 4 === 3 ? 'high' : 'low' }
    expect((await append(`talk${talk}`, messages, more)).status).toBe(201)
  }
}, 60_000)
afterAll(() => app.close())

const unforgotten: RawBuilder<SqlBool>[] = [sql`r.forgotten_at is null`]
const usual = { trust: fullTrust, conditions: unforgotten, limit: 50 }
const surroundings = { contextConditions: unforgotten, gapMs: 30 * 60_000, requested: 10 }
const surroundingsFor = (trust: Trust) => ({
  ...surroundings,
  contextConditions: [...unforgotten, visible(trust)],
})
const visible = ({ scopes }: Trust) =>
  scopes
    ? sql<SqlBool>`r.scope = any(${[...scopes, '']}::text[]) and r.sensitivity <= 'low'`
    : sql<SqlBool>`true`

/** The search of a process, and how many of its answers came from memory. */
function openSearch(memory = createTextMemory({ maxBytes: 50_000_000 })) {
  const texts = memory.openStore(app.db)
  const counted = { inMemory: 0 }
  const find = async (...asked: Parameters<typeof texts.find>) => {
    const found = await texts.find(...asked)
    if (found) counted.inMemory += 1
    return found
  }
  const search = createTextSearch({ clock: app.clock, textLanguage, memory: { ...texts, find } })
  const ask = (question: string, more: Partial<TextSearchInput> = {}) =>
    search.find(app.db, { query: readQuery(question), ...usual, ...more })
  const idsOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).map(({ id }) => id)
  async function load(): Promise<void> {
    await ask('worda0')
    await texts.untilLoaded()
  }
  return { ask, idsOf, counted, load, describe: texts.describe }
}

async function openLoaded(memory?: ReturnType<typeof createTextMemory>) {
  const opened = openSearch(memory)
  await opened.load()
  return opened
}

const remember = async (text: string, more: object = {}): Promise<string> => {
  const answer = await app.request('POST', '/v1/remember', { body: { text, scope: 'red', ...more } })
  expect(answer.status).toBe(201)
  return (answer.body as Body).id
}

const limited: Trust = { maxSensitivity: 'low', scopes: ['red'] }

describe('words in memory', () => {
  const everyDay = [['2025-03-01', '2025-05-31']] as const
  it.each([
    ['every record', {}],
    ['with their neighbours', { surroundings }],
    ['those a limited key sees', { trust: limited, surroundings: surroundingsFor(limited) }],
    ['one scope', { scopes: ['blue'], surroundings }],
    ['some days', { days: everyDay, surroundings, exactCount: 0 }],
    ['a type of which there is none', { types: ['semantic'] }],
    ['with remarks', { surroundings }, () => sentence(5)],
  ])('find what the database finds: %s', async (_, more: Partial<TextSearchInput>, remark = () => '') => {
    const memory = await openLoaded()
    const database = createTextSearch({ clock: app.clock, textLanguage })
    const shared = { same: 0, all: 0 }
    for (let asked = 0; asked < 10; asked++) {
      const query = { ...readQuery(sentence(5)), remarks: remark() }
      const exact = await database.find(app.db, { query, ...usual, ...more })
      const found = await memory.ask('', { query, ...more })
      const best = new Set(found.slice(0, 10).map(({ id }) => id))
      shared.all += exact.slice(0, 10).length
      shared.same += exact.slice(0, 10).filter(({ id }) => best.has(id)).length
    }
    expect(memory.counted.inMemory).toBe(10)
    expect(shared.same).toBeGreaterThanOrEqual(0.93 * shared.all)
  })

  it('leave to the database what has quotes or a minus, and what few records meet', async () => {
    const { ask, counted } = await openLoaded()
    await ask('"worda0 wordb1" wordc2')
    await ask('worda0 -wordb1')
    await ask('worda0', { includesForgotten: true })
    await ask('worda0', { conditions: [...unforgotten, sql<SqlBool>`r.importance > 2`] })
    expect(counted.inMemory).toBe(0)
  })

  it('leave everything to the database where there is no room', async () => {
    const { ask, counted } = await openLoaded(createTextMemory({ maxBytes: 100_000 }))
    expect(await ask('worda0')).not.toEqual([])
    expect(counted.inMemory).toBe(0)
  })
})

describe('texts that change after they were loaded', () => {
  it('are found by their words as soon as they are stored, and not once they are erased', async () => {
    const { idsOf, counted } = await openLoaded()
    const id = await remember('The marmalade is on the balcony.')
    expect(await idsOf('marmalade')).toEqual([id])
    const erased = { actor: 'somebody', rationale: 'they asked' }
    expect((await app.request('POST', `/v1/records/${id}/erase`, { body: erased })).status).toBe(200)
    expect(await idsOf('marmalade')).toEqual([])
    expect(counted.inMemory).toBe(2)
  })

  it('are found once their record is restored, or a caller may see it', async () => {
    const forgotten = await remember('a forgotten quetzal')
    expect((await app.request('DELETE', `/v1/records/${forgotten}?actor=a&rationale=b`)).status).toBe(200)
    const secret = await remember('a secret axolotl', { sensitivity: 'high' })
    const { idsOf } = await openLoaded()
    expect(await idsOf('quetzal')).toEqual([])
    expect(await idsOf('axolotl', { trust: limited })).toEqual([])
    const restoring = { body: { actor: 'a', rationale: 'b' } }
    const restored = await app.request('POST', `/v1/records/${forgotten}/restore`, restoring)
    const opened = await app.request('PATCH', `/v1/records/${secret}`, { body: { sensitivity: 'low' } })
    expect([restored.status, opened.status]).toEqual([200, 200])
    expect(await idsOf('quetzal')).toEqual([forgotten])
    expect(await idsOf('axolotl', { trust: limited })).toEqual([secret])
  })

  it('are found by each of several questions at the same time', async () => {
    const { idsOf, counted } = await openLoaded()
    for (const word of ['saffron', 'paprika', 'nutmeg']) {
      const id = await remember(`The ${word} is in the drawer.`)
      const found = await Promise.all(Array.from({ length: 4 }, () => idsOf(word)))
      expect(found).toEqual([[id], [id], [id], [id]])
    }
    expect(counted.inMemory).toBe(12)
  })

  it('are found when their transaction began before the loading and ended after it', async () => {
    const id = await remember('The samovar hums.')
    const { promise: hasLoaded, resolve } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: write } = Promise.withResolvers<void>()
    const writing = transact(app.db, {}, async (tx) => {
      await sql`update contents set search = to_tsvector('english', 'a kettle') where record_id = ${id}`.execute(
        tx,
      )
      write()
      await hasLoaded
    })
    await hasWritten
    const { idsOf, counted } = await openLoaded()
    expect(await idsOf('samovar')).toEqual([id])
    resolve()
    await writing
    expect(await idsOf('kettle')).toEqual([id])
    expect(await idsOf('samovar')).toEqual([])
    expect(counted.inMemory).toBe(3)
  })

  it('are found where a row is put back with the transaction of long ago, or another comes from a dump', async () => {
    const id = await remember('The trombone is silver.')
    await sql`update records set revealed = '99999999999' where id = ${id}`.execute(app.db)
    const { idsOf, counted } = await openLoaded()
    await transact(app.db, {}, async (tx) => {
      const run = (statement: string) => sql.raw(statement).execute(tx)
      await run(
        `create temporary table kept on commit drop as select * from contents where record_id = '${id}'`,
      )
      await run(`delete from contents where record_id = '${id}'`)
      await run(`update kept set search = to_tsvector('english', 'a tuba')`)
      await run('insert into contents select * from kept')
    })
    expect(await idsOf('tuba')).toEqual([id])
    expect(counted.inMemory).toBe(1)
  })

  it('are found where more of them came than one answer may hold', async () => {
    const opened = await openLoaded()
    const many = Array.from({ length: 500 }, (_, at) => say(`n${at}`, sentence(5)))
    expect((await append('many', many, { scope: 'green' })).status).toBe(201)
    await sql`update contents set words = words`.execute(app.db)
    const id = await remember('The clarinet squeaks.')
    expect(await opened.idsOf('clarinet')).toEqual([id])
    expect(opened.counted.inMemory).toBe(0)
  })
})

describe('the memory for words', () => {
  it('answers while it is renewed, which takes forgotten and erased texts out of it', async () => {
    const time = { now: 0 }
    const kept = await remember('a flugelhorn')
    const forgotten = await remember('a sousaphone')
    const erased = await remember('an ocarina')
    const memory = createTextMemory({ maxBytes: 50_000_000, now: () => time.now })
    const opened = await openLoaded(memory)
    const reason = { actor: 'a', rationale: 'b' }
    expect((await app.request('DELETE', `/v1/records/${forgotten}?actor=a&rationale=b`)).status).toBe(200)
    expect((await app.request('POST', `/v1/records/${erased}/erase`, { body: reason })).status).toBe(200)
    const known = () => [kept, forgotten, erased].map((id) => opened.describe(id) !== undefined)
    expect(known()).toEqual([true, true, true])
    for (let renewed = 0; renewed < 3; renewed++) {
      time.now += 10 * 60_000
      expect(await opened.idsOf('flugelhorn')).toEqual([kept])
      await opened.load()
    }
    expect(opened.counted.inMemory).toBe(6)
    expect(known()).toEqual([true, false, false])
    const restored = await app.request('POST', `/v1/records/${forgotten}/restore`, { body: reason })
    expect(restored.status).toBe(200)
    expect(await opened.idsOf('sousaphone')).toEqual([forgotten])
  })

  it('is given back ten minutes after the last question', async () => {
    const time = { now: 0 }
    const due: (() => void)[] = []
    const { ask, counted } = await openLoaded(
      createTextMemory({ maxBytes: 50_000_000, now: () => time.now, later: (run) => void due.push(run) }),
    )
    await ask('worda0')
    time.now += 10 * 60_000
    for (const run of due.splice(0)) run()
    await ask('worda0')
    expect(counted.inMemory).toBe(1)
  })
})
