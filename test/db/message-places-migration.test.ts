import { afterAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { purgeForgotten } from '../../src/records/deletion/departures.queries.ts'
import { createConversationRequests, statusesOf, textsOf } from '../support/requests/conversation-requests.ts'
import { migrateDown } from '../support/servers/migrate-down.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const { append, get } = createConversationRequests(() => app)
const send = async (...contents: string[]) =>
  statusesOf(
    await append(
      'talk',
      contents.map((content) => ({ role: 'user', content, at: '2025-06-01T08:00:00Z' })),
    ),
  )

async function purgeFirst(): Promise<void> {
  const [first] = (await get('talk/messages')).items
  await app.request('DELETE', `/v1/records/${first.record_id}?actor=a&rationale=b`)
  app.clock.advance(40 * 86_400_000)
  expect(await purgeForgotten(app.db, app.clock.now(), 10)).toBe(1)
}

it('reverts and applies again the places of purged messages, and keeps the order of those that took one', async () => {
  await send('one', 'two', 'three')
  await purgeFirst()
  await send('one', 'two', 'three')
  expect((await migrateDown(app.db, '0070_bounded_reads')).at(-1)).toBe('0071_message_places')
  await migrateUp(app.db)
  expect(await send('one', 'two', 'three', 'four')).toEqual([...Array(3).fill('unchanged'), 'created'])
  expect(textsOf(await get('talk/messages'))).toEqual(['one', 'two', 'three', 'four'])
  await purgeFirst()
  await migrateDown(app.db, '0070_bounded_reads')
  await migrateUp(app.db)
  expect(textsOf(await get('talk/messages'))).toEqual(['two', 'three', 'four'])
})
