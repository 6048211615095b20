import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { until } from '../support/processes/processes.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import { type Body, countRows, say } from '../support/requests/record-requests.ts'
import { rootKey, startTestApp, type TestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_REQUEST_TIMEOUT: '1s' } })
afterAll(() => app.close())

const lineOf = (object: unknown, more: object = {}) => `${JSON.stringify(say(object, more))}\n`
const many = (count: number) => Array.from({ length: count }, (_, index) => lineOf(index)).join('')

/** Counts the new rows, once two counts a moment apart are equal. */
async function settledCount(table: 'records', before: number): Promise<number> {
  for (let last = -1; ; ) {
    const added = (await countRows(app, table)) - before
    if (added === last && added > 0) return added
    last = added
    await sleep(300)
  }
}

type Sending = { sending: ClientRequest; answer: Promise<IncomingMessage> }

/** Opens a connection of which the test controls both directions. */
function open(
  method: string,
  path: string,
  server: TestApp = app,
  key = rootKey,
  mediaType = 'application/x-ndjson',
): Sending {
  const sending = request(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': mediaType },
  })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve)
    sending.on('error', reject)
  })
  answer.catch(() => {})
  return { sending, answer }
}

async function readReports(answer: IncomingMessage): Promise<Body[]> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Body]))
}

async function countWaitingTransactions(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
  `.execute(app.db)
  return rows[0]?.count ?? 0
}

describe('POST /v1/import as a stream', () => {
  it('may take longer than other requests, and holds no transaction while it waits', async () => {
    const { sending, answer } = open('POST', '/v1/import')
    for (let index = 0; index < 4; index++) {
      sending.write(lineOf(index).slice(0, -5))
      await sleep(400)
      expect(await countWaitingTransactions()).toBe(0)
      sending.write(lineOf(index).slice(-5))
    }
    sending.end()
    expect((await readReports(await answer)).at(-1)).toEqual({
      summary: { created: 4, unchanged: 0, conflict: 0, invalid: 0 },
      position: expect.any(String),
    })
  })

  it('reports lines while others are still sent', async () => {
    const { sending, answer } = open('POST', '/v1/import')
    sending.write(many(250))
    const reports = readReports(await answer)
    sending.end(many(10))
    expect(await reports).toHaveLength(261)
  })

  // To read the beginning again with each chunk would take longer than the time limit of the test.
  it('refuses a file of an unknown format that comes in chunks of one byte', async () => {
    const { sending, answer } = open('POST', '/v1/import', app, rootKey, 'application/json')
    for (let bytes = 0; bytes < 60_000; bytes++) sending.write('{')
    sending.end()
    expect((await answer).statusCode).toBe(415)
  }, 30_000)

  it('accepts a client that reads only after sending everything', async () => {
    const { sending, answer } = open('POST', '/v1/import')
    const sent = new Promise((resolve) => sending.once('finish', resolve))
    sending.end(many(1_000))
    await sent
    const response = await answer
    await sleep(200)
    expect((await readReports(response)).at(-1)).toMatchObject({ summary: { created: 1_000 } })
  })

  it('keeps what it reported when the connection breaks, and nothing else', async () => {
    const before = await countRows(app, 'records')
    const target = app.ids.next()
    const relations = [{ predicate: 'supports', target_id: target }]
    const { sending, answer } = open('POST', '/v1/import')
    sending.write(`${lineOf('first', { relations })}${many(420)}`)
    const response = await answer
    await new Promise((resolve) => response.once('data', resolve))
    sending.destroy()
    const stored = await settledCount('records', before)
    expect(stored).toBeGreaterThan(0)
    expect(stored % 200).toBe(0)
  })

  it.each([['admin'], []] as const)(
    'ends with a problem when its key expires, and stores nothing that comes later',
    async (...more) => {
      const expires = new Date(app.clock.now().getTime() + 60_000).toISOString()
      const key = await app.issueKey(['records:write', ...more], { expires_at: expires })
      // Counted before anything is sent: the first portion can be stored before another count is answered.
      const before = await countRows(app, 'records')
      const { sending, answer } = open('POST', '/v1/import', app, key)
      sending.write(many(250))
      const isStaged = more.length === 0
      const stored = async () => (await countRows(app, 'records')) - before
      if (isStaged) await sleep(200)
      else await until('the first portion', async () => (await stored()) === 200)
      app.clock.advance(61_000)
      sending.end(many(1_200))
      if (isStaged) expect((await answer).statusCode).toBe(401)
      else
        expect((await readReports(await answer)).at(-1)).toMatchObject({
          problem: { code: 'unauthenticated' },
        })
      expect(await stored()).toBe(isStaged ? 0 : 200)
    },
  )

  it('keeps nothing when the connection of a key without admin breaks', async () => {
    const key = await app.issueKey(['records:write'])
    const before = await countRows(app, 'records')
    const { sending } = open('POST', '/v1/import')
    sending.setHeader('authorization', `Bearer ${key}`)
    sending.write(many(1_200))
    const countHeld = async () => (await app.db.selectFrom('import_lines').select('line').execute()).length
    await until('the end of it', async () => (await countHeld()) === 1_000)
    sending.destroy()
    await until('the end of it', async () => (await countHeld()) === 0)
    expect(await countRows(app, 'records')).toBe(before)
    await app.request('GET', '/livez')
    expect(app.log.filter((line) => line.includes('database_unavailable'))).toEqual([])
  })
})

describe('GET /v1/export as a stream', () => {
  it('sends the whole store a page at a time, and stops when the client does', async () => {
    const total = await countRows(app, 'records')
    expect(total).toBeGreaterThan(1_500)
    expect((await exportLines(app)).records).toHaveLength(total)
    const { sending, answer } = open('GET', '/v1/export')
    sending.end()
    const response = await answer
    await new Promise((resolve) => response.once('data', resolve))
    response.destroy()
    await until('the end of it', async () => app.database.pool.idleCount === app.database.pool.totalCount)
  })

  it('ends without the rest when its key expires', async () => {
    const expiring = { expires_at: new Date(app.clock.now().getTime() + 60_000).toISOString() }
    const key = await app.issueKey(['records:read'], expiring)
    const { sending, answer } = open('GET', '/v1/export', app, key)
    sending.end()
    const response = await answer
    const received: Buffer[] = []
    response.once('data', () => app.clock.advance(61_000))
    response.on('data', (chunk: Buffer) => received.push(chunk))
    const ending = await new Promise<unknown>((resolve) => {
      response.once('error', resolve).once('end', () => resolve('complete'))
    })
    expect(ending).toMatchObject({ code: 'ECONNRESET' })
    const lines = Buffer.concat(received).toString().split('\n').length
    expect(lines).toBeLessThan(await countRows(app, 'records'))
  })

  it('sends complete records while others are created and deleted', async () => {
    const writing = Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        app.request('POST', '/v1/records', { body: say(`new ${index}`) }),
      ),
    )
    const { records } = await exportLines(app)
    await writing
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
    for (const record of records) expect(record.audit_log).toHaveLength(1)
  })
})

describe('a server that closes', () => {
  it('ends imports and exports and reports why', async () => {
    const closing = await startTestApp()
    await importLines(closing, many(900))
    const reading = open('GET', '/v1/export', closing)
    reading.sending.end()
    const exported = await reading.answer
    const bringing = open('POST', '/v1/import', closing)
    bringing.sending.write(many(600))
    const reports = readReports(await bringing.answer)
    const closed = closing.close()
    await sleep(200)
    bringing.sending.write(many(600))
    expect((await reports).at(-1)).toMatchObject({ problem: { code: 'shutting_down' } })
    bringing.sending.destroy()
    exported.destroy()
    await closed
  })
})
