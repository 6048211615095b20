import { connect } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { getReading } from '../../src/db/request-scope.ts'
import { countNotes, createNotesRoutes, createNotesTable, type Hooks } from '../support/apps/notes-routes.ts'
import { until } from '../support/processes/processes.ts'
import { testPoolSize } from '../support/servers/database.ts'
import { rootKey, startTestApp } from '../support/test-app.ts'

const hooks: Hooks = { now: async () => {} }
const api = await startTestApp({ routes: createNotesRoutes(hooks) })
await createNotesTable(api.db)
afterAll(() => api.close())

const findLines = (requestId: string) =>
  api.log.flatMap((line) => {
    const entry = JSON.parse(line)
    return entry.request_id === requestId ? [entry] : []
  })

function send(requestId: string, lines: readonly string[], body = '') {
  const { port, hostname } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const headers = [
    'Host: localhost',
    `Authorization: Bearer ${rootKey}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${[...lines, ...headers].join('\r\n')}\r\n\r\n${body}`)
  return socket
}

it('a change whose client hangs up before the answer is made, logged and counted', async () => {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  hooks.now = async () => {
    reached.resolve()
    await opened.promise
  }
  const socket = send('impatient', ['POST /v1/notes HTTP/1.1'], '{"text":"a note"}')
  await reached.promise
  socket.resetAndDestroy()
  const line = await until('a line of the log', async () => findLines('impatient')[0])
  expect(line).toMatchObject({ msg: 'request', route: '/v1/notes', status: 499, principal: 'root' })
  opened.resolve()
  await until('the note', async () => (await countNotes(api.db)) === 1)
  expect(findLines('impatient')).toHaveLength(1)
  expect((await api.request('GET', '/metrics')).text).toMatch(/route="\/v1\/notes",status="499"\} 1\n/)
})

it('what goes on after the client of a read has hung up is no part of the read: it asks the primary', async () => {
  const reached = Promise.withResolvers<ReturnType<typeof getReading>>()
  const opened = Promise.withResolvers<void>()
  hooks.now = async () => {
    reached.resolve(getReading())
    await opened.promise
  }
  const socket = send('left', ['GET /v1/failure HTTP/1.1'])
  const reading = await reached.promise
  expect(reading?.isPrimaryOnly).toBe(false)
  socket.resetAndDestroy()
  await until('the end of the read', async () => reading?.isPrimaryOnly === true)
  opened.resolve()
})

it('an export whose client hangs up before its first page is not logged as a failure', async () => {
  const { pool } = api.database
  const held = await Promise.all(Array.from({ length: testPoolSize }, () => pool.connect()))
  const socket = send('export', ['GET /v1/export HTTP/1.1'])
  await until('the export', async () => pool.waitingCount > 0)
  socket.resetAndDestroy()
  await until('a line of the log', async () => findLines('export').length > 0)
  for (const client of held) client.release()
  expect((await api.request('GET', '/v1/export')).status).toBe(200)
  expect(findLines('export').map(({ level }) => level)).toEqual(['info'])
})
