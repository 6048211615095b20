import { once as happens } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countNotes, createNotesTable, notesRoom } from '../support/notes-room.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let api: TestApp

beforeAll(async () => {
  api = await startTestApp({
    rooms: notesRoom({ now: async () => {} }),
    variables: { MEMBRANE_REQUEST_TIMEOUT: '1s' },
  })
  await createNotesTable(api.db)
})
afterAll(() => api.close())

/** Sends raw bytes and returns everything that the server sends until it closes the connection. */
async function speak(...chunks: string[]): Promise<string> {
  const { port, hostname } = new URL(api.url)
  const socket = connectSocket(Number(port), hostname)
  const heard: Buffer[] = []
  socket.on('data', (chunk) => heard.push(chunk))
  socket.on('error', () => {})
  for (const chunk of chunks) socket.write(chunk)
  await happens(socket, 'close')
  return Buffer.concat(heard).toString()
}

const problemIn = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

describe('a broken HTTP request', () => {
  it('answers a problem and closes the connection', async () => {
    const answer = await speak('NONSENSE\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toMatch(/\r\nConnection: close\r\n/)
    expect(problemIn(answer)).toMatchObject({ code: 'malformed_request', request_id: expect.any(String) })
  })

  it('with oversized headers answers 431', async () => {
    const answer = await speak(
      `GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    )
    expect(problemIn(answer)).toMatchObject({ status: 431, code: 'headers_too_large' })
  })

  it('whose headers never end is cut off', async () => {
    const answer = await speak('GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    expect(problemIn(answer)).toMatchObject({ status: 408, code: 'request_timeout' })
  })

  it('whose body never arrives is cut off', async () => {
    const before = await countNotes(api.db)
    const answer = await speak(
      'POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer root-key-of-the-tests\r\n',
      'Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{"text":',
    )
    expect(problemIn(answer)).toMatchObject({ status: 408, code: 'request_timeout' })
    expect(await countNotes(api.db)).toBe(before)
  })

  it('with two lengths answers 400', async () => {
    const answer = await speak(
      'POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    )
    expect(problemIn(answer)).toMatchObject({ status: 400 })
  })

  it('without a Host header answers 400', async () => {
    const answer = await speak('GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(problemIn(answer)).toMatchObject({ status: 400, code: 'malformed_request' })
    expect(await speak('GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })
})
