import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { fullTrust } from '../../../../src/domain/trust/caller.ts'
import { createTextMemory } from '../../../../src/retrieval/text/memory/text-memory.service.ts'
import { createConversationRequests, say } from '../../../support/requests/conversation-requests.ts'
import { startTestApp } from '../../../support/test-app.ts'

const { append } = createConversationRequests(() => app)

const app = await startTestApp()
afterAll(() => app.close())

const store = async (conversation: string, count: number): Promise<string[]> => {
  const messages = Array.from({ length: count }, (_, at) => say(`m${at}`, `message ${at}`))
  const { body } = await append(conversation, messages, { scope: 'team' })
  return (body as { items: { record_id: string }[] }).items.map(({ record_id: id }) => id)
}

it('loads the texts behind any number of forgotten ones', async () => {
  const forgotten = await store('first', 400)
  await sql`
    update records set forgotten_at = now(), forgotten_reason = 'deleted', forgotten_by = 'ada', purge_at = now()
  `.execute(app.db)
  // Ids are read in the order of their time.
  app.clock.advance(1_000)
  const kept = await store('second', 3)
  const texts = createTextMemory({ maxBytes: 10_000_000 }).openStore(app.db)
  const search = {
    words: ['messag'],
    related: [],
    inflected: [],
    occurrences: new Map<string, number>(),
    remarked: new Set<string>(),
    averageLength: 2,
    rows: 403,
    limit: 10,
  }
  const read = { searched: { trust: fullTrust }, answerConditions: [], contextConditions: [] }
  expect(await texts.find({ ...search, ...read })).toBeUndefined()
  await texts.untilLoaded()
  expect(kept.map((id) => texts.describe(id) !== undefined)).toEqual([true, true, true])
  expect(forgotten.some((id) => texts.describe(id) !== undefined)).toBe(false)
})
