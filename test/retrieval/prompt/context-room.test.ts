import { expect, it, onTestFinished } from 'vitest'
import type { Body } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

it('fills a context with more than 20 short notes, unless the query limits the roots', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const berths = Array.from({ length: 30 }, (_, at) => `The harbour has berth ${at}.`)
  for (const text of berths) await app.request('POST', '/v1/remember', { body: { text, scope: 'quay' } })
  const ask = async (more: object) => {
    const body = { task_descriptor: 'Which berth does the harbour have?', scopes: ['quay'], ...more }
    return ((await app.request('POST', '/v1/context', { body })).body as Body).items.length
  }
  expect(await ask({})).toBe(30)
  expect(await ask({ root_limit: 20 })).toBe(20)
})
