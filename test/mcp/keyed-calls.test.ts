import { afterAll, beforeAll, expect, it } from 'vitest'
import { range } from '../support/capture-requests.ts'
import { type Body, create, fact, payloads } from '../support/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
})
afterAll(() => app.close())

const say = (object: string, more: object = {}) =>
  fact({ payload: { ...payloads.semantic, object }, ...more })

/** Calls a tool under an Idempotency-Key, as a client of 2025. */
async function callOnce(key: string, name: string, args: object) {
  const { headers, text } = await app.request('POST', '/mcp?profile=lifecycle', {
    headers: { accept: 'application/json, text/event-stream', 'idempotency-key': key },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  })
  const event = text.split('\n').find((line) => line.startsWith('data: '))
  const { result } = JSON.parse(event?.slice(6) ?? text) as Body
  return { result, isReplayed: headers.get('idempotency-replayed') === 'true' }
}

it('supersedes more facts at once than there are connections', async () => {
  const entity = await create(app, { type: 'entity', payload: payloads.entity })
  const relations = [{ predicate: 'subject_entity', target_id: entity.id }]
  const facts = await Promise.all(range(12).map((n) => create(app, say(`first ${n}`, { relations }))))
  const answers = await Promise.all(
    facts.map(({ id }, n) =>
      callOnce(`supersede-${n}`, 'revise', { id, op: 'supersede', text: `second ${n}`, reason: 'moved on' }),
    ),
  )
  expect(answers.map(({ result }) => result.structuredContent?.record.payload.object)).toEqual(
    facts.map((_, n) => `second ${n}`),
  )
})
