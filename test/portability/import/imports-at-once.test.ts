import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { until } from '../../support/processes/processes.ts'
import { importLines } from '../../support/requests/export-and-import.ts'
import { type Body, expectProblem, fact } from '../../support/requests/record-requests.ts'
import { rootKey, startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** Lines of which each is refused, in a first portion: it is answered before the file ends. */
const portion = '{}\n'.repeat(201)

/** Starts an import whose file does not end, and waits until it runs. */
async function startImport(): Promise<ClientRequest> {
  const sending = request(`${app.url}/v1/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rootKey}`, 'content-type': 'application/x-ndjson' },
  })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve).on('error', reject)
  })
  sending.write(portion)
  const { statusCode } = (await answer).resume()
  expect(statusCode).toBe(200)
  return sending
}

it('a key runs eight imports at once, because each holds a part of its file', async () => {
  const running = await Promise.all(Array.from({ length: 8 }, startImport))
  const refused = await importLines(app, [fact()])
  expectProblem(refused, 503, 'overloaded')
  expect(refused.headers.get('retry-after')).toBe('1')
  const key = await app.issueKey(['records:write'])
  expect(await importLines(app, [fact()], { key })).toMatchObject({ summary: { created: 1 } })
  for (const each of running) each.end()
  await until('an import is taken on again', async () => (await importLines(app, [fact()])).status === 200)
})

it.each([
  ['membrane', '\n'],
  ['texts', '['],
])('an import of %s that only sends %j ends soon after its key was revoked', async (format, byte) => {
  const { body } = await app.request('POST', '/v1/keys', {
    body: { name: 'dripping', permissions: ['records:write'] },
  })
  const { id, secret } = body as { id: string; secret: string }
  const sending = request(`${app.url}/v1/import?format=${format}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/x-ndjson' },
  })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve).on('error', reject)
  })
  const dripping = setInterval(() => sending.write(byte), 50)
  onTestFinished(() => {
    clearInterval(dripping)
    sending.destroy()
  })
  await until('the use of the key', async () => {
    const { items } = (await app.request('GET', '/v1/keys')).body as { items: Body[] }
    return items.some((each) => each.id === id && each.last_used_at !== null)
  })
  await app.request('DELETE', `/v1/keys/${id}`)
  // The answer is sent when the client pauses.
  setTimeout(() => clearInterval(dripping), 3_000)
  expect((await answer).statusCode).toBe(401)
})
