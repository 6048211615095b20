import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Asking, failureOf, question, secret, startAsking, timed } from '../support/chat-model.ts'
import {
  type Behaviour,
  flooding,
  hangingUp,
  hangingUpMidway,
  never,
  saying,
  sending,
  stalling,
} from '../support/chat-server.ts'

let asking: Asking
beforeAll(async () => {
  asking = await startAsking()
})
afterAll(() => asking.server.close())
beforeEach(() => {
  asking.server.requests.length = 0
})

const told = { error: { message: `you sent confidential evidence with ${secret}`, code: 'confidential' } }
const failures: [string, Behaviour, string, number | undefined][] = [
  ['never answers', never, 'timeout', undefined],
  ['stops in the middle', stalling, 'timeout', undefined],
  [
    'sends for ever, byte by byte',
    flooding(Number.POSITIVE_INFINITY, { chunk: 1, pauseMs: 5 }),
    'timeout',
    undefined,
  ],
  [
    'fails for ever, byte by byte',
    flooding(Number.POSITIVE_INFINITY, { chunk: 1, pauseMs: 5, status: 500 }),
    'unavailable',
    500,
  ],
  ['hangs up', hangingUp, 'unavailable', undefined],
  ['hangs up in the middle', hangingUpMidway, 'unavailable', undefined],
  ['is too busy', sending(429, told), 'rate_limited', 429],
  ['timed out itself', sending(408, told), 'unavailable', 408],
  ['is in conflict', sending(409, told), 'unavailable', 409],
  ['is broken', sending(500, told), 'unavailable', 500],
  ['is away', sending(503, 'confidential'), 'unavailable', 503],
  ['wants another key', sending(401, told), 'refused', 401],
  ['refuses the request', sending(400, told), 'refused', 400],
  ['is somewhere else', sending(307, told, { location: 'http://127.0.0.1:1/v1' }), 'refused', 307],
  ['says nothing', sending(200, ''), 'invalid_answer', undefined],
  [
    'speaks no JSON',
    sending(200, '<html>confidential</html>', { 'content-type': 'text/html' }),
    'invalid_answer',
    undefined,
  ],
  ['breaks its JSON', sending(200, '{"choices": confidential'), 'invalid_answer', undefined],
  ['answers null', sending(200, 'null'), 'invalid_answer', undefined],
  ['answers another thing', sending(200, { choices: 'confidential' }), 'invalid_answer', undefined],
  ['answers in prose', saying('confidential evidence'), 'invalid_answer', undefined],
  ['refuses in its own way', saying(null), 'invalid_answer', undefined],
  ['answers with parts', saying([{ type: 'text', text: '{}' }]), 'invalid_answer', undefined],
]

describe('a server that', () => {
  it.each(failures)(
    '%s fails for its reason, in no words but ours',
    async (_name, behaviour, reason, status) => {
      const printed = vi.spyOn(console, 'error')
      const [failure, elapsed] = await timed(failureOf(asking.ask(behaviour)))
      expect([failure.reason, failure.status]).toEqual([reason, status])
      expect(elapsed).toBeLessThan(2_000)
      expect(failure.cause).toBeUndefined()
      const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure)}`
      expect(shown).not.toMatch(/confidential|secret|evidence/)
      expect(printed).not.toHaveBeenCalled()
    },
  )

  it('is not there fails as unavailable', async () => {
    const failure = await failureOf(asking.chatOf({ endpoint: 'http://127.0.0.1:1/v1' }).ask(question))
    expect([failure.reason, failure.isPassing]).toEqual(['unavailable', true])
  })

  it('sends a hundred megabytes is cut off after a few', async () => {
    let sent = 0
    const flood = flooding(100 * 1_024 * 1_024)
    const failure = await failureOf(
      asking.ask(
        (response, seen) => {
          response.once('close', () => {
            sent = response.socket?.bytesWritten ?? 0
          })
          return flood(response, seen)
        },
        { timeoutMs: 10_000 },
      ),
    )
    expect(failure.reason).toBe('invalid_answer')
    await vi.waitFor(() => expect(sent).toBeGreaterThan(0))
    expect(sent).toBeLessThan(40 * 1_024 * 1_024)
  })
})
