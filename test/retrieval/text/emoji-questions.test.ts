import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Body } from '../../support/requests/record-requests.ts'
import { retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const text of ['🎉', 'I ❤️ pizza.', 'The keys are in the drawer.', 'Ada wrote 👩‍💻'])
    await app.request('POST', '/v1/remember', { body: { text } })
})
afterAll(() => app.close())

async function ask(question: string): Promise<[string, string][]> {
  const { nodes } = await retrieve(app, {
    task_descriptor: question,
    explain: true,
    max_hops: 0,
    record_access: false,
  })
  return nodes.map(({ record, signals }: Body) => [record.payload.object, signals.channels[0].channel])
}

it.each([
  ['🎉', '🎉'],
  ['❤', 'I ❤️ pizza.'],
  ['❤️ ?', 'I ❤️ pizza.'],
  ['💻', 'Ada wrote 👩‍💻'],
])('a question of nothing but the emoji %s finds the record with it', async (question, text) => {
  expect(await ask(question)).toEqual([[text, 'text']])
  const { body } = await app.request('POST', '/v1/context', { body: { task_descriptor: question } })
  expect((body as Body).text).toContain(text)
})

it('an emoji beside words is not searched', async () => {
  expect(await ask('🎉 where are the keys?')).toEqual([['The keys are in the drawer.', 'text']])
})
