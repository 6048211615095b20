import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { maxChanges } from '../../../../src/db/memory/seen-changes.ts'
import { transact } from '../../../../src/db/transaction.ts'
import { fullTrust } from '../../../../src/domain/trust/caller.ts'
import { nilUuid } from '../../../../src/kernel/ids.ts'
import { readTexts } from '../../../../src/retrieval/text/memory/text-memory.queries.ts'
import { createTextMemory } from '../../../../src/retrieval/text/memory/text-memory.service.ts'
import { createConversationRequests, say } from '../../../support/requests/conversation-requests.ts'
import { insertEpisodes } from '../../../support/stores/insert-episodes.ts'
import { startTestApp } from '../../../support/test-app.ts'

const { append } = createConversationRequests(() => app)

const app = await startTestApp()
afterAll(() => app.close())

const store = async (conversation: string, contents: readonly string[]): Promise<string[]> => {
  const messages = contents.map((content, at) => say(`m${at}`, content))
  const { body } = await append(conversation, messages, { scope: 'team' })
  app.clock.advance(1_000)
  return (body as { items: { record_id: string }[] }).items.map(({ record_id: id }) => id)
}

/** Returns what the words of one text find: the ids, or undefined where the database must be asked. */
async function openLoaded() {
  const texts = createTextMemory({ maxBytes: 10_000_000 }).openStore(app.db)
  const find = async (word: string) => {
    const search = {
      words: [word],
      related: [],
      inflected: [],
      occurrences: new Map<string, number>(),
      remarked: new Set<string>(),
      averageLength: 2,
      rows: 100,
      limit: 10,
    }
    const found = await texts.find({
      ...search,
      searched: { trust: fullTrust },
      answerConditions: [],
      contextConditions: [],
    })
    return found?.ranked.matches.map(({ id }) => id)
  }
  await find('anything')
  await texts.untilLoaded()
  return find
}

const rewrite = (text: string) => sql`search = to_tsvector('english', ${text}::text)`

it('leaves the answer to the database after more new texts than it reads, also if one is of a forgotten record', async () => {
  const [forgotten = ''] = await store('first', ['a bassoon'])
  const find = await openLoaded()
  await sql`update contents set words = words where record_id = ${forgotten}::uuid`.execute(app.db)
  expect((await app.request('DELETE', `/v1/records/${forgotten}?actor=a&rationale=b`)).status).toBe(200)
  await insertEpisodes(
    app,
    'team',
    Array.from({ length: maxChanges }, (_, at) => `triangle ${at}`),
  )
  await store('last', ['a glockenspiel'])
  // It would find nothing if it counted only what it keeps of the first texts.
  expect(await find('glockenspiel')).toBeUndefined()
})

it('finds the words of a text that changed in an older transaction than the sensitivity of its record', async () => {
  const [id = ''] = await store('one', ['a harmonica'])
  const find = await openLoaded()
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: mayWrite, resolve: allow } = Promise.withResolvers<void>()
  const writing = transact(app.db, {}, async (tx) => {
    await sql`select pg_current_xact_id()`.execute(tx)
    begin()
    await mayWrite
    await sql`update contents set ${rewrite('an accordion')} where record_id = ${id}::uuid`.execute(tx)
  })
  await hasBegun
  await sql`update records set sensitivity = 'high' where id = ${id}::uuid`.execute(app.db)
  expect(await find('harmonica')).toEqual([id])
  allow()
  await writing
  expect(await find('accordion')).toEqual([id])
  expect(await find('harmonica')).toEqual([])
})

it('has messages of the same millisecond in their order', async () => {
  const at = (microseconds: string) => ({ at: `2026-01-01T00:00:00.000${microseconds}Z` })
  const messages = [say('second', 'a spinet', at('700')), say('first', 'a dulcimer', at('300'))]
  for (const message of messages) await append('short', [message], { scope: 'team' })
  const texts = await readTexts(app.db, nilUuid, 10_000)
  const said = texts.flatMap(({ message }) => (message?.conversation === 'short' ? message : []))
  const inOrderOfArrival = said.toSorted((one, other) => one.arrival - other.arrival)
  expect(inOrderOfArrival.map(({ at: time }) => (time % 1).toFixed(1))).toEqual(['0.7', '0.3'])
})

it('is not used after a restore, which brings rows back with the transactions of then', async () => {
  const [id = ''] = await store('restored', ['a harpsichord'])
  const find = await openLoaded()
  const saveState = sql`create table saved as select record_id, search, changed from contents where record_id = ${id}::uuid`
  await saveState.execute(app.db)
  await sql`update contents set ${rewrite('a clavichord')} where record_id = ${id}::uuid`.execute(app.db)
  expect(await find('clavichord')).toEqual([id])
  await transact(app.db, {}, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      update contents as c set search = s.search, changed = s.changed from saved as s where s.record_id = c.record_id
    `.execute(tx)
    await sql`update import_secret set secret = secret`.execute(tx)
  })
  expect(await find('harpsichord')).toBeUndefined()
})
