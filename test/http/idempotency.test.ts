import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteExpiredAnswers } from '../../src/http/idempotency/idempotency.queries.ts'
import { countNotes, createNotesRoutes, createNotesTable, type Hooks } from '../support/apps/notes-routes.ts'
import { type Answer, startTestApp } from '../support/test-app.ts'

const hooks: Hooks = { now: async () => {} }
let notesBefore = 0

const api = await startTestApp({ routes: createNotesRoutes(hooks) })
await createNotesTable(api.db)
afterAll(() => api.close())
beforeEach(async () => {
  hooks.now = async () => {}
  notesBefore = await countNotes(api.db)
})

const countCreated = async () => (await countNotes(api.db)) - notesBefore
const post = (idempotencyKey: string, body: unknown = { text: 'a note' }, key?: string): Promise<Answer> =>
  api.request('POST', '/v1/notes', {
    body,
    headers: { 'idempotency-key': idempotencyKey },
    ...(key === undefined ? {} : { key }),
  })
const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true'
const codeOf = ({ body }: Answer) => (body as { code?: string }).code

/** A gate: `arrive` waits until it is opened, and reports that it was reached. */
function createGate() {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    open: opened.resolve,
    arrive: async () => {
      reached.resolve()
      await opened.promise
    },
  }
}

describe('a request with an Idempotency-Key', () => {
  it('takes effect once and is answered byte for byte the same', async () => {
    const first = await post('same')
    const second = await post('same')
    expect(await countCreated()).toBe(1)
    expect(second.text).toBe(first.text)
    for (const name of ['etag', 'location', 'content-type']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name))
    }
    expect([isReplay(first), isReplay(second)]).toEqual([false, true])
  })

  it('is the same request in any order of its fields', async () => {
    await post('order', '{"text":"x","tags":["a"]}')
    expect(isReplay(await post('order', '{ "tags": ["a"], "text": "x" }'))).toBe(true)
  })

  it.each([
    ['body', () => post('other', { text: 'another' })],
    ['path', () => api.request('DELETE', '/v1/notes/0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11', key('other'))],
  ])('is refused with another %s under the same key', async (_name, again) => {
    await post('other')
    notesBefore = await countNotes(api.db)
    const answer = await again()
    expect([answer.status, codeOf(answer)]).toEqual([422, 'idempotency_key_reused'])
    expect(await countCreated()).toBe(0)
  })

  it('replays an answer without a body', async () => {
    const path = (await post('to-delete')).headers.get('location') ?? ''
    expect((await api.request('DELETE', path, key('deletes'))).status).toBe(204)
    const again = await api.request('DELETE', path, key('deletes'))
    expect([again.status, again.text, isReplay(again)]).toEqual([204, '', true])
  })

  it('is separate for each API key', async () => {
    const one = await api.issueKey(['records:write'])
    const other = await api.issueKey(['records:write'])
    const answers = [await post('shared', undefined, one), await post('shared', undefined, other)]
    expect(answers.map(isReplay)).toEqual([false, false])
    expect(await countCreated()).toBe(2)
  })

  it.each(['', 'a b', 'x'.repeat(256), 'ümlaut'])('is refused when the key is %j', async (input) => {
    const answer = await post(input)
    expect([answer.status, codeOf(answer)]).toEqual([422, 'invalid_idempotency_key'])
  })

  it('distinguishes keys with the same beginning', async () => {
    await post('x'.repeat(255))
    expect(isReplay(await post('x'.repeat(254)))).toBe(false)
  })
})

describe('concurrent requests with one Idempotency-Key', () => {
  it('take effect once; the second answers that the first is in progress', async () => {
    const gate = createGate()
    hooks.now = gate.arrive
    const first = post('race')
    await gate.reached
    const second = await post('race')
    expect([second.status, codeOf(second)]).toEqual([409, 'request_in_progress'])
    expect(second.headers.get('retry-after')).toBe('1')
    gate.open()
    const answered = await first
    expect(answered.status).toBe(201)
    const third = await post('race')
    expect([isReplay(third), third.text]).toEqual([true, answered.text])
    expect(await countCreated()).toBe(1)
  })

  it('do not wait for requests with other keys', async () => {
    const gate = createGate()
    hooks.now = gate.arrive
    const first = post('slow')
    await gate.reached
    hooks.now = async () => {}
    expect((await post('quick')).status).toBe(201)
    gate.open()
    await first
  })

  it('take effect once when there are twenty', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('storm')))
    const fresh = answers.filter((answer) => answer.status === 201 && !isReplay(answer))
    expect(fresh).toHaveLength(1)
    for (const answer of answers) {
      expect([201, 409]).toContain(answer.status)
      if (answer.status === 201) expect(answer.text).toBe(fresh[0]?.text)
    }
    expect(await countCreated()).toBe(1)
  })
})

describe('a failed request with an Idempotency-Key', () => {
  it('stores no answer and can be retried', async () => {
    hooks.now = async () => Promise.reject(new Error('broken'))
    expect((await post('retry')).status).toBe(500)
    expect(await countCreated()).toBe(0)
    hooks.now = async () => {}
    const again = await post('retry')
    expect([again.status, isReplay(again)]).toEqual([201, false])
  })

  it('stores no answer when validation refused it', async () => {
    expect((await post('shape', {})).status).toBe(422)
    expect((await post('shape')).status).toBe(201)
  })

  it('stores neither effect nor answer when its database session ends', async () => {
    hooks.now = async (call) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(call.tx ?? api.db)
      await api.database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    }
    const crashed = await post('crash')
    expect(crashed.status).toBe(503)
    expect(await countCreated()).toBe(0)
    hooks.now = async () => {}
    const again = await post('crash')
    expect([again.status, isReplay(again)]).toEqual([201, false])
    expect(await countCreated()).toBe(1)
  })

  it('is run again completely when PostgreSQL reports a serialization failure', async () => {
    let attempts = 0
    hooks.now = async (call) => {
      attempts++
      if (attempts > 1 || !call.tx) return
      await sql`do $$ begin raise exception 'try again' using errcode = '40001'; end $$`.execute(call.tx)
    }
    expect((await post('serialization')).status).toBe(201)
    expect(attempts).toBe(2)
    expect(await countCreated()).toBe(1)
  })
})

describe('a stored answer', () => {
  it('expires after its retention, and the key can be used again', async () => {
    await post('old')
    api.clock.advance(24 * 3_600_000 - 1)
    expect(isReplay(await post('old'))).toBe(true)
    api.clock.advance(1)
    expect(isReplay(await post('old'))).toBe(false)
    expect(isReplay(await post('old'))).toBe(true)
    expect(await countCreated()).toBe(2)
  })

  it('is deleted in batches once it has expired', async () => {
    await sql`delete from idempotency_keys`.execute(api.db)
    for (const name of ['a', 'b', 'c']) await post(name)
    api.clock.advance(24 * 3_600_000)
    await post('fresh')
    const now = api.clock.now()
    expect(await deleteExpiredAnswers(api.db, now, 2)).toBe(2)
    expect(await deleteExpiredAnswers(api.db, now, 2)).toBe(1)
    expect(await deleteExpiredAnswers(api.db, now, 2)).toBe(0)
    expect(isReplay(await post('fresh'))).toBe(true)
  })
})

function key(idempotencyKey: string) {
  return { headers: { 'idempotency-key': idempotencyKey } }
}
