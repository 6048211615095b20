import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { until } from '../support/processes/processes.ts'
import { launchRole } from '../support/processes/roles.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { findFreePort } from '../support/servers/postgres-processes.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

async function startApi(variables: Record<string, string> = {}) {
  const port = await findFreePort()
  const running = launchRole('api', { DATABASE_URL: database.url, PORT: String(port), ...variables })
  const url = `http://127.0.0.1:${port}`
  await until('the API to be ready', () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    ),
  )
  return { running, url }
}

const record = JSON.stringify({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 's', predicate: 'p', object: 1 },
})

/** Sends the first half of a request and no more. */
async function beginRecord(
  url: string,
): Promise<{ sending: ClientRequest; answer: Promise<IncomingMessage> }> {
  const sending = request(`${url}/v1/records`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': record.length, expect: '100-continue' },
  })
  const answer = once(sending, 'response').then(([response]) => response)
  answer.catch(() => {})
  // The server has read the headers now, so the request is in progress.
  const taken = once(sending, 'continue')
  sending.flushHeaders()
  await taken
  sending.write(record.slice(0, 10))
  return { sending, answer }
}

it('a stopping API closes idle connections, finishes the request in progress, accepts no other, and ends', async () => {
  const { running, url } = await startApi()
  const { sending, answer } = await beginRecord(url)
  const idle = createConnection(Number(new URL(url).port), '127.0.0.1')
  const closed = once(idle, 'close')
  idle.write('GET /livez HTTP/1.1\r\nHost: api\r\n\r\n')
  await once(idle, 'data')
  running.kill('SIGTERM')
  await until('the port to close', () =>
    fetch(`${url}/livez`).then(
      () => false,
      () => true,
    ),
  )
  await closed
  const stopAt = performance.now()
  sending.end(record.slice(10))
  const response = await answer
  expect(response.statusCode, await text(response)).toBe(201)
  expect(await running.ended).toEqual({ code: 0, signal: null })
  expect(performance.now() - stopAt).toBeLessThan(5_000)
})

it('a stopping API ends with a failure when a request exceeds the shutdown timeout', async () => {
  const { running, url } = await startApi({ MEMBRANE_SHUTDOWN_TIMEOUT: '300ms' })
  await beginRecord(url)
  running.kill('SIGTERM')
  expect(await running.ended).toEqual({ code: 1, signal: null })
  expect(running.output()).toContain('stopped before all work was finished')
})

it('an API that cannot reach its database is alive but not ready, because nothing confirms its text language', async () => {
  const port = await findFreePort()
  const running = launchRole('api', {
    DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x',
    PORT: String(port),
    MEMBRANE_TEXT_LANGUAGE: 'klingon',
  })
  const url = `http://127.0.0.1:${port}`
  await until('the API to be alive', () =>
    fetch(`${url}/livez`).then(
      (answer) => answer.ok,
      () => false,
    ),
  )
  const answer = await fetch(`${url}/readyz`)
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({
    code: 'not_ready',
    parts: { database: { ready: false }, configuration: { ready: false } },
  })
  running.kill('SIGTERM')
  expect(await running.ended).toEqual({ code: 0, signal: null })
  expect(running.output()).not.toContain('hunter2')
})
