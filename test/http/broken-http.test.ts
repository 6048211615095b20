import { once as happens } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { countNotes, createNotesRoutes, createNotesTable } from '../support/apps/notes-routes.ts'
import { sendChunks } from '../support/http/send-chunks.ts'
import { startTestApp } from '../support/test-app.ts'

const api = await startTestApp({
  routes: createNotesRoutes({ now: async () => {} }),
  variables: { MEMBRANE_REQUEST_TIMEOUT: '1s' },
})
await createNotesTable(api.db)
afterAll(() => api.close())

/** Sends raw bytes, half-closes the connection at once, and returns everything that the server still sends. */
async function sendAndHalfClose(bytes: string): Promise<string> {
  const { port, hostname } = new URL(api.url)
  const socket = connectSocket({ port: Number(port), host: hostname, allowHalfOpen: true })
  const heard: Buffer[] = []
  socket.on('data', (chunk) => heard.push(chunk))
  socket.on('error', () => {})
  socket.end(bytes)
  await happens(socket, 'close')
  return Buffer.concat(heard).toString()
}

const problemIn = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

describe('a broken HTTP request', () => {
  it('answers a problem and closes the connection', async () => {
    const answer = await sendChunks(api.url, 'NONSENSE\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toMatch(/\r\nConnection: close\r\n/)
    expect(problemIn(answer)).toMatchObject({ code: 'malformed_request', request_id: expect.any(String) })
  })

  it('with oversized headers answers 431', async () => {
    const answer = await sendChunks(
      api.url,
      `GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    )
    expect(problemIn(answer)).toMatchObject({ status: 431, code: 'headers_too_large' })
  })

  it('whose headers never end is cut off', async () => {
    const answer = await sendChunks(api.url, 'GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    expect(problemIn(answer)).toMatchObject({ status: 408, code: 'request_timeout' })
  })

  it('whose body never arrives is cut off', async () => {
    const before = await countNotes(api.db)
    const answer = await sendChunks(
      api.url,
      'POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer root-key-of-the-tests\r\n',
      'Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{"text":',
    )
    expect(problemIn(answer)).toMatchObject({ status: 408, code: 'request_timeout' })
    expect(await countNotes(api.db)).toBe(before)
  })

  it('with two lengths answers 400', async () => {
    const answer = await sendChunks(
      api.url,
      'POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    )
    expect(problemIn(answer)).toMatchObject({ status: 400 })
  })

  it.each(['localhost', 'other.example'])('with a second Host header, %s, answers 400', async (host) => {
    const answer = await sendChunks(
      api.url,
      `GET /livez HTTP/1.1\r\nHost: localhost\r\nhOST: ${host}\r\nConnection: close\r\n\r\n`,
    )
    expect(problemIn(answer)).toMatchObject({ status: 400, code: 'malformed_request' })
  })

  it('without a Host header answers 400', async () => {
    const answer = await sendChunks(api.url, 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(problemIn(answer)).toMatchObject({ status: 400, code: 'malformed_request' })
    expect(await sendChunks(api.url, 'GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a client that half-closes its connection after its request', () => {
  const head = 'Host: localhost\r\nAuthorization: Bearer root-key-of-the-tests\r\n'
  const body = '{"text":"sent before the half-close"}'
  const post = `POST /v1/notes HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  it('gets the answer, and the server then closes the connection', async () => {
    const before = await countNotes(api.db)
    expect(await sendAndHalfClose(post)).toMatch(/^HTTP\/1\.1 201 /)
    expect(await countNotes(api.db)).toBe(before + 1)
    expect(await sendAndHalfClose(`GET /v1/records HTTP/1.1\r\n${head}\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('gets the answers of all requests that it sent in one go', async () => {
    const answers = await sendAndHalfClose(post + post)
    expect(answers.match(/HTTP\/1\.1 201 /g)).toHaveLength(2)
  })

  it('gets 400 and changes nothing when the body is cut', async () => {
    const before = await countNotes(api.db)
    expect(problemIn(await sendAndHalfClose(post.slice(0, -5)))).toMatchObject({ code: 'malformed_request' })
    expect(await countNotes(api.db)).toBe(before)
  })
})
