import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseLsn } from '../../src/db/positions/position.ts'
import { createPositions } from '../../src/db/positions/positions.ts'
import { callTool, connectClient } from '../support/http/mcp-clients.ts'
import { create, expectProblem, fact } from '../support/requests/record-requests.ts'
import { type Answer, quickKeyCost, rootKey, startTestApp } from '../support/test-app.ts'

const api = await startTestApp()
afterAll(() => api.close())

const reason = { actor: 'a', rationale: 'r' }
const positionOf = ({ headers }: Answer) => headers.get('membrane-position')

async function lsnOf(answer: Answer): Promise<bigint> {
  const position = await createPositions(api.database.pool, quickKeyCost).decrypt(positionOf(answer) ?? '')
  if (!position) throw new Error(`no position: ${answer.status} ${answer.text}`)
  return position.lsn
}

/** The end of the log right now. */
async function readLog(): Promise<bigint> {
  const { rows } = await api.database.pool.query('select pg_current_wal_insert_lsn()::text as lsn')
  return parseLsn(rows[0].lsn)
}

describe('the answer of a write', () => {
  it('has a position that is after its commit and not after what comes later', async () => {
    const before = await readLog()
    const answer = await api.request('POST', '/v1/records', { body: fact() })
    const after = await readLog()
    const position = await lsnOf(answer)
    expect(position > before && position <= after).toBe(true)
    expect(positionOf(answer)).toMatch(/^[!-~]{1,200}$/)
  })

  it('has one that came with the write: nothing is asked for afterwards', async () => {
    const { pool } = api.database
    const query = vi.spyOn(pool, 'query')
    onTestFinished(() => query.mockRestore())
    const answer = await api.request('POST', '/v1/records', { body: fact() })
    expect(positionOf(answer)).not.toBeNull()
    expect(query).not.toHaveBeenCalled()
  })

  it('has one after every kind of write, and none when the write was refused', async () => {
    const { id } = await create(api, fact({ payload: { ...fact().payload, subject: 'everything' } }))
    const made = [
      await api.request('PATCH', `/v1/records/${id}`, { body: { tags: ['t'] } }),
      await api.request('POST', `/v1/records/${id}/reinforce`, { body: reason }),
      await api.request('PUT', '/v1/policies/budgets', { body: { max_records: 1_000_000 } }),
      await api.request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } }),
      await api.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`),
    ]
    for (const answer of made) {
      expect(answer.status, answer.text).toBeLessThan(300)
      expect(positionOf(answer), answer.text).not.toBeNull()
    }
    const refused = [
      await api.request('POST', '/v1/records', { body: {} }),
      await api.request('POST', '/v1/records', { body: fact(), key: false }),
      await api.request('DELETE', `/v1/records/${id}`),
    ]
    for (const answer of refused) {
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(positionOf(answer)).toBeNull()
    }
  })

  it('is sent once, without a position, when the database does not name one', async () => {
    const fresh = await startTestApp()
    onTestFinished(() => fresh.close())
    const query = vi.spyOn(fresh.database.pool, 'query').mockRejectedValue(new Error('no answer') as never)
    onTestFinished(() => query.mockRestore())
    const headers = { 'idempotency-key': 'again' }
    for (const options of [{ body: fact() }, { body: fact(), headers }, { body: fact(), headers }]) {
      const answer = await fresh.request('POST', '/v1/records', options)
      expect([answer.status, positionOf(answer)]).toEqual([201, null])
      expect(answer.body).toHaveProperty('id')
    }
    expect(query).toHaveBeenCalled()
  })

  it('has one again when it is replayed, not before the first', async () => {
    const headers = { 'idempotency-key': 'once' }
    const body = fact({ payload: { ...fact().payload, subject: 'replayed' } })
    const first = await api.request('POST', '/v1/records', { body, headers })
    const second = await api.request('POST', '/v1/records', { body, headers })
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect((await lsnOf(second)) >= (await lsnOf(first))).toBe(true)
  })

  it('names a position in the last line of an import', async () => {
    const before = await readLog()
    const body = `${JSON.stringify(fact({ payload: { ...fact().payload, subject: 'imported' } }))}\n`
    const answer = await api.request('POST', '/v1/import', {
      body,
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const { position } = (answer.body as { position?: string }[]).at(-1) ?? {}
    const opened = await createPositions(api.database.pool, quickKeyCost).decrypt(position ?? '')
    expect(opened && opened.lsn > before).toBe(true)
  })
})

describe('a read', () => {
  it('has no position, and accepts one', async () => {
    const written = await api.request('POST', '/v1/records', {
      body: fact({ payload: { ...fact().payload, subject: 'accepted' } }),
    })
    const headers = { 'membrane-position': positionOf(written) ?? '' }
    const { id } = written.body as { id: string }
    const answers = [
      await api.request('GET', `/v1/records/${id}`, { headers }),
      await api.request('GET', '/v1/records', { headers }),
      await api.request('POST', '/v1/retrieve', { body: {}, headers }),
      await api.request('POST', '/v1/context', { body: { task_descriptor: 'q', max_tokens: 100 }, headers }),
      await api.request('GET', '/v1/metrics', { headers }),
    ]
    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(200)
      expect(positionOf(answer)).toBeNull()
    }
  })

  it('refuses what no write answered', async () => {
    for (const given of ['0/16B3748', 'p1.short', 'p1.AAAAAAAAAAAAAAAAAAAAAB', 'x'.repeat(300)]) {
      const headers = { 'membrane-position': given }
      expectProblem(await api.request('GET', '/v1/records', { headers }), 400, 'invalid_position')
      const asked = await api.request('POST', '/v1/retrieve', { body: {}, headers })
      expectProblem(asked, 400, 'invalid_position')
    }
  })

  it('answers after a position of another database, from the primary', async () => {
    const headers = { 'membrane-position': 'p1.AAAAAAAAAAAAAAAAAAAAAA' }
    expect((await api.request('GET', '/v1/records', { headers })).status).toBe(200)
  })
})

describe('over MCP', () => {
  const call = (name: string, args: object, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rootKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    })

  it('only a tool that writes answers with a position', async () => {
    const client = await connectClient(api)
    await callTool(client, 'remember', { text: 'Ada deploys on Fridays' })
    await client.close()
    const wrote = await call('remember', { text: 'Ada rests on Sundays' })
    const position = wrote.headers.get('membrane-position')
    expect(position, await wrote.text()).toMatch(/^p1\./)
    const asked = await call('recall', { query: 'Ada' }, { 'membrane-position': position ?? '' })
    expect(asked.status, await asked.text()).toBe(200)
    expect(asked.headers.get('membrane-position')).toBeNull()
    const failed = await call('get', { id: 'no id' })
    expect(failed.headers.get('membrane-position')).toBeNull()
  })

  it('a malformed position is refused', async () => {
    expect((await call('recall', { query: 'Ada' }, { 'membrane-position': 'x' })).status).toBe(400)
  })
})
