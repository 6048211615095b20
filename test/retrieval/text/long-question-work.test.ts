import { afterAll, beforeAll, expect, it } from 'vitest'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { readQuestionText } from '../../../src/retrieval/question/question-text.ts'
import { createTextMemory } from '../../../src/retrieval/text/memory/text-memory.service.ts'
import { createTextSearch } from '../../../src/retrieval/text/text-search.service.ts'
import { createServices } from '../../../src/services.ts'
import { createConversationRequests, say } from '../../support/requests/conversation-requests.ts'
import { type LoggedDatabase, openLoggedDatabase } from '../../support/statements/logged-statements.ts'
import { startTestApp } from '../../support/test-app.ts'

const { append } = createConversationRequests(() => app)
let db: LoggedDatabase['db']
let listStatements: LoggedDatabase['listStatements']

const app = await startTestApp()
beforeAll(async () => {
  ;({ db, listStatements } = openLoggedDatabase(app.database.pool))
  const texts = Array.from({ length: 20 }, (_, at) => `The word${at} is "quite short" and word${at + 1} too.`)
  await append(
    'work',
    texts.map((text, at) => say(`m${at}`, text)),
  )
})
afterAll(() => app.close())

/** A note with speech, titles, and options of a command, as long as a question may be. */
const writeNote = (words: number) =>
  Array.from({ length: words }, (_, at) => (at % 10 === 0 ? `"quite short" -v word${at}` : `word${at}`)).join(
    ' ',
  )

it('asks a page with the same statements as a note', async () => {
  const { config, clock, ids } = app
  const { retrieval } = createServices({ config, db, clock, ids, log: app.app.log })
  const ask = (words: number) => () =>
    retrieval.retrieve({ caller: { trust: fullTrust } } as Parameters<typeof retrieval.retrieve>[0], {
      task_descriptor: writeNote(words),
    })
  for (const words of [100, 1_000]) await ask(words)()
  const ofNote = await listStatements(ask(100))
  expect(await listStatements(ask(1_000))).toEqual(ofNote)
})

it('asks PostgreSQL once about what memory finds for a page', async () => {
  const memory = createTextMemory({ maxBytes: 50_000_000 }).openStore(db)
  const { find } = createTextSearch({
    clock: app.clock,
    textLanguage: 'english',
    smallStorePages: -1,
    memory,
  })
  const ask = (words: number) => () =>
    find(db, { query: readQuestionText(writeNote(words)).query, trust: fullTrust, conditions: [], limit: 10 })
  await ask(1_000)()
  await memory.untilLoaded()
  const found = await listStatements(ask(1_000))
  expect(found.filter((text) => text.includes('tsvectorsend'))).toHaveLength(1)
  expect(found).toEqual(await listStatements(ask(100)))
})
