import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeQueryFingerprint, encodeCursor } from '../../src/http/paging/cursor.ts'
import { type Body, create, payloads } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
const id = (await create(app, { type: 'entity', payload: payloads.entity })).id
beforeAll(async () => {
  for (const status of ['challenged', 'active', 'challenged'])
    await app.request('POST', `/v1/records/${id}/status`, { body: { status, reason: 'r', actor: 'a' } })
  for (const conversation of ['talk', 'chat', 'chat again']) {
    const messages = ['hello', 'yes', 'goodbye'].map((content) => ({ role: 'user', content }))
    const path = `/v1/conversations/${encodeURIComponent(conversation)}/messages`
    await app.request('POST', path, { body: { messages } })
  }
})
afterAll(() => app.close())

const lists = [
  ['the audit log', () => `/v1/records/${id}/audit?limit=1`],
  ['the status history', () => `/v1/records/${id}/status-history?limit=1`],
  ['conversations', () => '/v1/conversations?limit=1'],
  ['messages', () => '/v1/conversations/talk/messages?limit=1'],
] as const

async function readItems(path: string): Promise<{ items: Body[]; cursors: string[] }> {
  const { items, next_cursor: cursor } = (await app.request('GET', path)).body as Body
  if (cursor === undefined) return { items, cursors: [] }
  const rest = await readItems(`${path.replace(/&cursor=.*/, '')}&cursor=${cursor}`)
  return { items: [...items, ...rest.items], cursors: [cursor, ...rest.cursors] }
}

describe('a list whose position is the number of a row', () => {
  it.each(lists)('has pages whose cursors do not show it: %s', async (_, path) => {
    const { items, cursors } = await readItems(path())
    const { body: whole } = await app.request('GET', path().replace('limit=1', 'limit=100'))
    expect(items).toEqual((whole as Body).items)
    expect(cursors.length).toBeGreaterThan(1)
    const shown = cursors.map((cursor) => Buffer.from(cursor, 'base64url').toString('latin1'))
    expect(shown.filter((text) => /"(?:id|arrival|newest)"/.test(text))).toEqual([])
    expect(new Set(shown.map(({ length }) => length)).size).toBe(1)
  })

  it('refuses a cursor that was not encrypted, one that was changed, and one of another list or key', async () => {
    const body = { name: 'reader', permissions: ['records:read'] }
    const { id: principal, secret: key } = (await app.request('POST', '/v1/keys', { body })).body as Body
    const path = `/v1/records/${id}/audit?limit=1`
    const { next_cursor: cursor } = (await app.request('GET', path, { key })).body as Body
    const { next_cursor: foreign } = (await app.request('GET', path)).body as Body
    const { next_cursor: other } = (await app.request('GET', '/v1/conversations?limit=1', { key }))
      .body as Body
    const plain = encodeCursor(computeQueryFingerprint(principal, { audit: id }), { id: 1 })
    const changed = `${cursor.slice(0, 40)}${cursor[40] === 'A' ? 'B' : 'A'}${cursor.slice(41)}`
    const answers = [cursor, plain, changed, foreign, other, ''].map(async (each) => {
      const { status, body: answer } = await app.request('GET', `${path}&cursor=${each}`, { key })
      return (answer as Body).code ?? status
    })
    expect(await Promise.all(answers)).toEqual([200, ...Array(5).fill('invalid_cursor')])
  })
})
