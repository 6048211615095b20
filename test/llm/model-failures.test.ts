import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { catchModelFailure, question, secret, startChatModel, timed } from '../support/models/chat-model.ts'
import {
  type Behaviour,
  flood,
  hangUp,
  hangUpMidResponse,
  impatientMs,
  neverRespond,
  respond,
  respondWithContent,
  stallMidResponse,
} from '../support/models/chat-server.ts'

const asking = await startChatModel()
afterAll(() => asking.server.close())
beforeEach(() => {
  asking.server.requests.length = 0
})

const errorBody = {
  error: { message: `you sent confidential evidence with ${secret}`, code: 'confidential' },
}
const failures: [string, Behaviour, string, (number | undefined)?, { timeoutMs?: number }?][] = [
  ['never answers', neverRespond, 'timeout', undefined, { timeoutMs: impatientMs }],
  ['stops in the middle', stallMidResponse, 'timeout', undefined, { timeoutMs: impatientMs }],
  [
    'sends for ever, byte by byte',
    flood(Number.POSITIVE_INFINITY, { chunk: 1, pauseMs: 5 }),
    'timeout',
    undefined,
    { timeoutMs: impatientMs },
  ],
  [
    'fails for ever, byte by byte',
    flood(Number.POSITIVE_INFINITY, { chunk: 1, pauseMs: 5, status: 500 }),
    'unavailable',
    500,
    { timeoutMs: 3_000 },
  ],
  ['hangs up', hangUp, 'unavailable', undefined],
  ['hangs up in the middle', hangUpMidResponse, 'unavailable', undefined],
  ['is too busy', respond(429, errorBody), 'rate_limited', 429],
  ['timed out itself', respond(408, errorBody), 'unavailable', 408],
  ['is in conflict', respond(409, errorBody), 'unavailable', 409],
  ['is broken', respond(500, errorBody), 'unavailable', 500],
  ['is away', respond(503, 'confidential'), 'unavailable', 503],
  ['wants another key', respond(401, errorBody), 'refused', 401],
  ['refuses the request', respond(400, errorBody), 'refused', 400],
  ['is somewhere else', respond(307, errorBody, { location: 'http://127.0.0.1:1/v1' }), 'refused', 307],
  ['says nothing', respond(200, ''), 'invalid_answer', undefined],
  [
    'speaks no JSON',
    respond(200, '<html>confidential</html>', { 'content-type': 'text/html' }),
    'invalid_answer',
    undefined,
  ],
  ['breaks its JSON', respond(200, '{"choices": confidential'), 'invalid_answer', undefined],
  ['answers null', respond(200, 'null'), 'invalid_answer', undefined],
  ['answers another thing', respond(200, { choices: 'confidential' }), 'invalid_answer', undefined],
  ['answers in prose', respondWithContent('confidential evidence'), 'invalid_answer', undefined],
  ['refuses in its own way', respondWithContent(null), 'invalid_answer', undefined],
  ['answers with parts', respondWithContent([{ type: 'text', text: '{}' }]), 'invalid_answer', undefined],
]

describe('a chat server that', () => {
  it.each(failures)(
    '%s fails with its reason and without its own text',
    async (_name, behaviour, reason, status, patience) => {
      const printed = vi.spyOn(console, 'error')
      const [failure, elapsed] = await timed(catchModelFailure(asking.ask(behaviour, patience)))
      expect([failure.reason, failure.status]).toEqual([reason, status])
      expect(elapsed).toBeLessThan(10_000)
      expect(failure.cause).toBeUndefined()
      const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure)}`
      expect(shown).not.toMatch(/confidential|secret|evidence/)
      expect(printed).not.toHaveBeenCalled()
    },
  )

  it('is not running fails as unavailable', async () => {
    const failure = await catchModelFailure(
      asking.chatOf({ endpoint: 'http://127.0.0.1:1/v1' }).ask(question),
    )
    expect([failure.reason, failure.isTemporary]).toEqual(['unavailable', true])
  })

  it('sends a hundred megabytes is cut off after a few', async () => {
    let sent = 0
    const floodResponse = flood(100 * 1_024 * 1_024)
    const failure = await catchModelFailure(
      asking.ask((response, seen) => {
        response.once('close', () => {
          sent = response.socket?.bytesWritten ?? 0
        })
        return floodResponse(response, seen)
      }),
    )
    expect(failure.reason).toBe('invalid_answer')
    await expect.poll(() => sent).toBeGreaterThan(0)
    expect(sent).toBeLessThan(40 * 1_024 * 1_024)
  })
})
