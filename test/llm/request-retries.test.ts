import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { catchModelFailure, startChatModel, timed } from '../support/models/chat-model.ts'
import {
  impatientMs,
  neverRespond,
  refuseSchemas,
  respond,
  respondAfter,
  respondInTurn,
  respondWithJson,
  stallMidResponse,
} from '../support/models/chat-server.ts'

const asking = await startChatModel()
afterAll(() => asking.server.close())
beforeEach(() => {
  asking.server.requests.length = 0
})

describe('retries of a model request', () => {
  it('happen for temporary failures only', async () => {
    expect(
      (await asking.ask(respondInTurn(respond(500, {}), respondWithJson({ a: 1 })), { retries: 1 })).value,
    ).toEqual({
      a: 1,
    })
    asking.server.requests.length = 0
    await catchModelFailure(asking.ask(respond(401, {}), { retries: 3 }))
    expect(asking.server.requests).toHaveLength(1)
  })

  it('wait for Retry-After', async () => {
    const behaviour = respondInTurn(respond(429, {}, { 'retry-after': '1' }), respondWithJson({}))
    const [, elapsed] = await timed(asking.ask(behaviour, { retries: 1 }))
    // A timer may end a little before its time.
    expect(elapsed).toBeGreaterThanOrEqual(990)
    expect(elapsed).toBeLessThan(10_000)
  })

  it.each([
    ['1.5', 1_500],
    ['0', 0],
    ['', undefined],
    ['soon', undefined],
    ['-5', 0],
    ['Fri, 01 Jan 1999 00:00:00 GMT', 0],
    // A second after the time of the test clock.
    ['Sat, 28 Mar 2026 09:30:01 GMT', 1_000],
  ])('read Retry-After %j', async (after, milliseconds) => {
    const failure = await catchModelFailure(asking.ask(respond(429, {}, { 'retry-after': after })))
    expect(failure.retryAfterMs).toBe(milliseconds)
  })

  it('do not wait when Retry-After exceeds the deadline', async () => {
    for (const after of ['86400', '20']) {
      const waiting = asking.ask(respond(429, {}, { 'retry-after': after }), {
        retries: 3,
        deadlineMs: 10_000,
      })
      const [failure, elapsed] = await timed(catchModelFailure(waiting))
      expect(failure.reason).toBe('rate_limited')
      expect(elapsed).toBeLessThan(5_000)
    }
  })

  it('end at the deadline, however many are left', async () => {
    const [failure, elapsed] = await timed(
      catchModelFailure(
        asking.ask(respondAfter(50, respond(500, {})), {
          retries: 100,
          deadlineMs: 800,
          timeoutMs: 1_000,
        }),
      ),
    )
    expect(failure.isTemporary).toBe(true)
    expect(elapsed).toBeLessThan(10_000)
  })

  it('share one deadline with the request without a schema', async () => {
    const behaviour = respondAfter(250, refuseSchemas(400, respondWithJson({})))
    const failure = await catchModelFailure(asking.ask(behaviour, { timeoutMs: impatientMs }))
    expect(failure.reason).toBe('timeout')
  })

  it('accept a timeout of a month', async () => {
    expect((await asking.ask(respondWithJson({ a: 1 }), { timeoutMs: 30 * 86_400_000 })).value).toEqual({
      a: 1,
    })
  })

  it('end at once when the caller aborts', async () => {
    const before = AbortSignal.abort(new Error('confidential'))
    expect((await catchModelFailure(asking.ask(neverRespond, { signal: before }))).reason).toBe('aborted')
    expect(asking.server.requests).toEqual([])
    for (const behaviour of [neverRespond, stallMidResponse, respond(500, {})]) {
      const controller = new AbortController()
      setTimeout(() => controller.abort(new Error('confidential')), 100)
      const answer = asking.ask(behaviour, { signal: controller.signal, retries: 1 })
      const [failure, elapsed] = await timed(catchModelFailure(answer))
      expect([failure.reason, failure.isTemporary]).toEqual(['aborted', false])
      expect(elapsed).toBeLessThan(10_000)
    }
  })
})
