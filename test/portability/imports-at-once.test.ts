import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { until } from '../support/processes/processes.ts'
import { importLines } from '../support/requests/export-and-import.ts'
import { expectProblem, fact } from '../support/requests/record-requests.ts'
import { rootKey, startTestApp } from '../support/test-app.ts'

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
