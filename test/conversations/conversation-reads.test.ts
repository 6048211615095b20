import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { listConversations } from '../../src/conversations/conversations.queries.ts'
import type { Trust } from '../../src/domain/trust/caller.ts'
import { sendChunks } from '../support/http/send-chunks.ts'
import { createConversationRequests } from '../support/requests/conversation-requests.ts'
import { countReads } from '../support/statements/count-reads.ts'
import { rootKey, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const { append } = createConversationRequests(() => app)
const trust: Trust = { maxSensitivity: 'hyper', scopes: ['mine'] }

function addMessages(scope: string, conversation: string, count: number) {
  const messages = Array.from({ length: count }, (_, n) => ({
    role: 'user',
    content: `text ${n}`,
    id: `m${n}`,
  }))
  return append(conversation, messages, { scope })
}

async function countListed(asking: Trust, scope?: string) {
  let listed: string[] = []
  await sql`analyze messages, records`.execute(app.db)
  const reads = await countReads(app.db, ['messages', 'records'], async (tx) => {
    const rows = await listConversations(tx, asking, { scope, limit: 1 })
    listed = rows.map(({ conversation }) => conversation)
  })
  return { listed, reads }
}

it('lists conversations without reading all their messages, or those of scopes that the key does not have', async () => {
  for (const id of ['one', 'two', 'three']) await addMessages('mine', id, 200)
  for (const id of ['four', 'five']) await addMessages('theirs', id, 200)
  const mine = await countListed(trust)
  expect(mine.listed).toEqual(['three'])
  expect(mine.reads).toBeLessThan(30)
  const all = await countListed({ ...trust, scopes: null })
  expect(all.listed).toEqual(['five'])
  expect(all.reads).toBeLessThan(50)
  const hidden = await countListed(trust, 'theirs')
  expect(hidden.listed).toEqual([])
  expect(hidden.reads).toBeLessThan(30)
  expect((await countListed({ ...trust, scopes: null }, 'mine')).listed).toEqual(['three'])
})

it.each(['%2E', '%2e%2E', '..'])('no conversation is created that a URL cannot name: %s', async (id) => {
  const body = JSON.stringify({ scope: 'mine', messages: [{ role: 'user', content: 'Hello' }] })
  const answer = await sendChunks(
    app.url,
    `POST /v1/conversations/${id}/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rootKey}\r\n`,
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  expect(answer).toMatch(
    /^HTTP\/1\.1 422 .*"validation_failed".*"\/conversation_id","message":"must not be \. or \.\./s,
  )
})
