import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import type { Clock } from '../kernel/clock.ts'
import { baseUrlOf } from './endpoint.ts'
import { ModelFailure } from './failure.ts'

export type Server = { endpoint: string; apiKey?: string | undefined; clock: Clock }

/** An answer is text of a few thousand tokens, or some hundred vectors; a server that sends more is broken. */
const mostBytes = 32 * 1_024 * 1_024

/** Everything is said here: what is left out, the package takes from the environment. */
export function createClient({ endpoint, apiKey }: Server): OpenAI {
  return new OpenAI({
    baseURL: baseUrlOf(endpoint),
    // A server without keys still wants the header to be there.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    // Ours, because the package's would go on beyond a deadline.
    maxRetries: 0,
    logLevel: 'off',
    fetch: fetchBounded,
  })
}

/** The body is counted while it comes: a length that was announced may be a lie. */
async function fetchBounded(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  if (!response.body) return response
  let bytes = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > mostBytes) controller.error(new ModelFailure('invalid_answer'))
        else controller.enqueue(chunk)
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(counted, { status, statusText, headers })
}

/** What went wrong, in our words. */
export function describeFailure(error: unknown, clock: Clock): ModelFailure {
  if (error instanceof ModelFailure) return error
  if (error instanceof APIUserAbortError || isAbort(error)) return new ModelFailure('aborted')
  if (error instanceof APIConnectionTimeoutError) return new ModelFailure('timeout')
  if (error instanceof APIConnectionError) return new ModelFailure('unavailable')
  if (!(error instanceof APIError)) return new ModelFailure('invalid_answer')
  const { status } = error
  // An error without a status is one that broke off on the way.
  if (typeof status !== 'number') return new ModelFailure('unavailable')
  const retryAfterMs = retryAfterOf(error.headers, clock)
  const told = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  if (status === 429) return new ModelFailure('rate_limited', told)
  if (status === 408 || status === 409 || status >= 500) return new ModelFailure('unavailable', told)
  return new ModelFailure('refused', told)
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
}

/** Seconds, or a date. */
function retryAfterOf(headers: unknown, clock: Clock): number | undefined {
  const told = headers instanceof Headers ? headers.get('retry-after') : null
  if (told === null) return undefined
  const seconds = Number(told)
  const milliseconds = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(told) - clock.now().getTime()
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined
}
