import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type ChatServer,
  type ReceivedRequest,
  respondWithJson,
  startChatServer,
} from '../support/models/chat-server.ts'
import { capture, triple } from '../support/requests/capture-requests.ts'
import { consolidate, listRecords } from '../support/requests/consolidation-requests.ts'
import { type Body, create } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

let model: ChatServer
let app: TestApp
beforeAll(async () => {
  await import('../../src/llm/client.ts')
  model = await startChatServer(respondWithJson({}))
  const ingest = { MEMBRANE_INGEST_LLM_ENABLED: 'true', MEMBRANE_INGEST_LLM_ENDPOINT: model.url }
  const background = { MEMBRANE_LLM_ENDPOINT: model.url, MEMBRANE_LLM_MODEL: 'm' }
  app = await startTestApp({ variables: { ...ingest, MEMBRANE_INGEST_LLM_MODEL: 'm', ...background } })
})
afterAll(async () => {
  await app.close()
  await model.close()
})

/** Each secret in another place, with the word that must not leave the episode. */
const secrets: [secret: string, content: (secret: string) => object][] = [
  ['hunter22-Xq1', (secret) => ({ password: secret })],
  ['hunter22-Xq2', (secret) => ({ request: { auth: { token: secret } } })],
  ['hunter22-Xq3', (secret) => ({ note: `password=${secret}` })],
  ['hunter22-Xq4', (secret) => ({ text: `the api_key is: ${secret}, keep it` })],
  ['hunter22-Xq5', (secret) => ({ headers: { Authorization: `Bearer ${secret}` } })],
  ['hunter22-Xq6', (secret) => ({ headers: [{ name: 'X-Api-Key', value: secret }] })],
  ['hunter22-Xq7', (secret) => ({ url: `https://ada:${secret}@db.example.org/prod` })],
  ['hunter22-Xq8', (secret) => ({ body: JSON.stringify({ inner: JSON.stringify({ secret }) }) })],
  ['hunter22-Xq9', (secret) => ({ argv: ['login', '--password', secret] })],
  ['ghp_0123456789abcdefghijklmnopqrstuvwxyzAB', (secret) => ({ text: `pushed with ${secret}` })],
  ['AKIAIOSFODNN7EXAMPLE', (secret) => ({ details: { note: `key ${secret}` } })],
  [
    'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD',
    (secret) => ({ tool_graph: [{ id: 'a', tool: 'curl', args: { q: secret }, result: `used ${secret}` }] }),
  ],
  ['xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx', (secret) => ({ result: { hook: secret } })],
  [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7',
    (secret) => ({ text: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----` }),
  ],
  [
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
    (secret) => ({ text: `cookie: session=${secret}` }),
  ],
]

const nameOf = ({ body }: ReceivedRequest): string => (body.response_format as Body)?.json_schema?.name ?? ''

it('no secret of an event reaches a model, by capture, consolidation or dream', async () => {
  const entity = { kind: 'entity', canonical_name: 'the build', primary_type: 'Service' }
  await create(app, { type: 'entity', payload: entity })
  for (const [place, [secret, build]] of secrets.entries()) {
    app.clock.advance(60_000)
    const shared = { ref: `event ${place}`, event_kind: 'deploy', outcome: 'success', ...build(secret) }
    await capture(app, shared, { tags: [`password=${secret}`], context: { password: secret } })
    await capture(app, { tool_name: 'deploy', args: shared, result: shared }, { source_kind: 'tool_output' })
    const claim = triple(
      { step: place, ...build(secret) },
      { predicate: `runs on ${place % 5}`, ref: `${place}` },
    )
    await capture(app, claim, { source_kind: 'observation', summary: `deployed with password=${secret}` })
  }
  await consolidate(app)
  await consolidate(app)
  await createWorkerFor(app, noIntervals).runJob('embed', new AbortController().signal)
  app.clock.advance(2 * 86_400_000)
  const run = await app.request('POST', '/v1/maintenance/runs', { body: { job: 'dream' } })
  expect(run.status).toBe(202)
  await createWorkerFor(app, noIntervals).runJob('dream', new AbortController().signal)

  const requested = new Set(model.requests.map(nameOf))
  expect([...requested].sort()).toEqual(expect.arrayContaining(['facts', 'interpretation', 'profile']))
  const sent = model.requests.map(({ text }) => text).join('\n')
  expect(secrets.map(([secret]) => secret).filter((secret) => sent.includes(secret))).toEqual([])
  // The events themselves keep what was captured, so the secrets were there to be sent.
  const episodes = JSON.stringify(await listRecords(app, 'type=episodic'))
  expect(secrets.map(([secret]) => secret).filter((secret) => !episodes.includes(secret))).toEqual([])
})
