import { afterAll, describe, expect, it } from 'vitest'
import { isLongRun } from '../support/long-run.ts'
import { createConversationRequests, say, textsOf } from '../support/requests/conversation-requests.ts'
import { type Body, expectProblem } from '../support/requests/record-requests.ts'
import { countLockWaits } from '../support/statements/lock-waits.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) } })
afterAll(() => app.close())

const { append, get } = createConversationRequests(() => app)

describe('removing a conversation', () => {
  it('forgets each message by the rules of its record, and lists which were kept', async () => {
    const stored = (await append('gone', [say('1', 'one'), say('2', 'two')])).body as Body
    const [, pinned] = stored.items
    const actor = { actor: 'a', rationale: 'b' }
    await app.request('POST', `/v1/records/${pinned.record_id}/pin`, { body: actor })
    const answer = await app.request('DELETE', '/v1/conversations/gone?actor=a&rationale=b')
    expect(answer.body).toEqual({
      results: [
        { id: stored.items[0].record_id, status: 200, record: expect.objectContaining({ type: 'episodic' }) },
        { id: pinned.record_id, status: 409, problem: expect.objectContaining({ code: 'record_pinned' }) },
      ],
    })
    expect(textsOf(await get('gone/messages'))).toEqual(['two'])
  })

  const deletion = ['deletes', 'DELETE', 'never'] as const
  const erasure = ['erases', 'POST', 'manual_only'] as const
  it.each(isLongRun ? [deletion, erasure] : [erasure])(
    '%s the later messages when a whole page before them is kept',
    async (name, method, policy) => {
      const messages = Array.from({ length: 503 }, (_, index) => say(`m${index}`, `text ${name} ${index}`))
      const { items } = (await append(name, messages, { sensitivity: 'low' })).body as Body
      const first = items.slice(0, 500).map(({ record_id: id }: Body) => id)
      const sensitivity = method === 'POST' ? 'medium' : 'low'
      await app.db
        .updateTable('records')
        .set({ deletion_policy: policy, prune_at: null, sensitivity })
        .where('id', 'in', first)
        .execute()
      const permissions = ['records:read', 'records:write', 'lifecycle:write'] as const
      const key = await app.issueKey([...permissions], { max_sensitivity: 'low' })
      const reason = { actor: 'a', rationale: 'b' }
      const remove = (more: object) =>
        method === 'POST'
          ? app.request('POST', `/v1/conversations/${name}/erase`, { key, body: { ...reason, ...more } })
          : app.request(
              'DELETE',
              `/v1/conversations/${name}?${new URLSearchParams({ ...reason, ...more })}`,
              {
                key,
              },
            )
      const page = (await remove({})).body as Body
      expect(page.results).toHaveLength(500)
      expect(new Set(page.results.map(({ status }: Body) => status))).not.toContain(200)
      expect(page.next_cursor).toEqual(expect.any(String))
      const rest = (await remove({ cursor: page.next_cursor })).body as Body
      expect(rest.results.map(({ id, status }: Body) => [id, status])).toEqual(
        items.slice(500).map(({ record_id: id }: Body) => [id, 200]),
      )
      expect(rest.next_cursor).toBeUndefined()
      expectProblem(await remove({ cursor: 'forged' }), 400, 'invalid_cursor')
    },
  )

  it.each(['DELETE', 'POST'])(
    '%s locks the messages in the order of their ids, as other writers do',
    async (method) => {
      const store = async (name: string, at: string): Promise<string> => {
        app.clock.advance(1_000)
        const { items } = (await append(`order${method}`, [say(name, `${name} ${method}`, { at })]))
          .body as Body
        return items[0].record_id
      }
      const low = await store('later', '2025-06-01T09:00:00Z')
      const high = await store('earlier', '2025-06-01T08:00:00Z')
      const locking = (id: string) =>
        app.db.selectFrom('records').select('id').where('id', '=', id).forNoKeyUpdate()
      const path = `/v1/conversations/order${method}`
      const body = { actor: 'a', rationale: 'b' }
      const removal = await app.db.transaction().execute(async (tx) => {
        await tx.executeQuery(locking(low))
        const removing =
          method === 'POST'
            ? app.request('POST', `${path}/erase`, { body })
            : app.request('DELETE', `${path}?actor=a&rationale=b`)
        await expect.poll(() => countLockWaits(app.db)).toBe(1)
        await tx.executeQuery(locking(high).noWait())
        return { removing }
      })
      expect((await removal.removing).body).toMatchObject({ results: [{ status: 200 }, { status: 200 }] })
    },
  )

  it('erases every message', async () => {
    await append('wiped', [say('1', 'one'), say('2', 'two')])
    const body = { actor: 'a', rationale: 'b' }
    const answer = await app.request('POST', '/v1/conversations/wiped/erase', { body })
    expect((answer.body as Body).results).toMatchObject([
      { status: 200, receipt: { removed: { records: 1 } } },
      { status: 200, receipt: { removed: { records: 1 } } },
    ])
    expectProblem(await app.request('GET', '/v1/conversations/wiped'), 404, 'conversation_not_found')
    const { count } = await app.db
      .selectFrom('messages')
      .where('conversation', '=', 'wiped')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(0)
  })

  it('erases the messages that were forgotten before, so that nobody restores them', async () => {
    const { items } = (await append('half', [say('1', 'what the customer said'), say('2', 'two')]))
      .body as Body
    const ids = items.map(({ record_id: id }: Body) => id)
    await app.request('DELETE', `/v1/records/${ids[0]}?actor=a&rationale=b`)
    const body = { actor: 'a', rationale: 'b' }
    const answer = await app.request('POST', '/v1/conversations/half/erase', { body })
    expect((answer.body as Body).results).toMatchObject(ids.map((id: string) => ({ id, status: 200 })))
    for (const id of ids)
      expectProblem(await app.request('POST', `/v1/records/${id}/restore`, { body }), 410, 'record_erased')
  })

  it('erases a conversation of which every message was forgotten before', async () => {
    const { items } = (await append('left', [say('1', 'one'), say('2', 'two')])).body as Body
    const actor = { actor: 'a', rationale: 'b' }
    await app.request('DELETE', '/v1/conversations/left?actor=a&rationale=b')
    expectProblem(await app.request('GET', '/v1/conversations/left'), 404, 'conversation_not_found')
    const erased = await app.request('POST', '/v1/conversations/left/erase', { body: actor })
    expect((erased.body as Body).results.map(({ id, status }: Body) => [id, status])).toEqual(
      items.map(({ record_id: id }: Body) => [id, 200]),
    )
    const again = await app.request('POST', '/v1/conversations/left/erase', { body: actor })
    expectProblem(again, 404, 'conversation_not_found')
  })

  it('keeps messages that the key may not change', async () => {
    await append('foreign', [say('1', 'one')])
    const key = await app.issueKey(['records:read', 'records:write'], { scopes: ['mine'] })
    const answer = await app.request(
      'DELETE',
      '/v1/conversations/foreign?unscoped=true&actor=a&rationale=b',
      { key },
    )
    expect((answer.body as Body).results).toMatchObject([{ status: 403, problem: { code: 'outside_trust' } }])
  })
})
