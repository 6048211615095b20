import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import type { Clock } from '../kernel/clock.ts'
import { baseUrlOf } from './endpoint.ts'
import { ModelFailure } from './model-failure.ts'

export type Server = {
  endpoint: string
  apiKey?: string | undefined
  clock: Clock
  /** A server that answers with more is broken. */
  mostBytes?: number
}

/** Some hundred vectors as text; parsing it holds up everything else for a good tenth of a second. */
const mostBytesUnlessTold = 32 * 1_024 * 1_024

/** The package reads OPENAI_CUSTOM_HEADERS though nothing is made of it, and quotes what it cannot read. */
export function createClient(server: Server): OpenAI {
  try {
    return configureClient(server)
  } catch {
    throw new ModelFailure('misconfigured')
  }
}

/** Everything is said here: what is left out, the package takes from the environment. */
function configureClient({ endpoint, apiKey, mostBytes = mostBytesUnlessTold }: Server): OpenAI {
  // A server without keys still wants the header to be there.
  const key = apiKey ?? 'none'
  return new OpenAI({
    baseURL: baseUrlOf(endpoint),
    apiKey: key,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    // Ours, because the package's would go on beyond a deadline.
    maxRetries: 0,
    logLevel: 'off',
    fetch: (input, init) => fetchBounded(input, init, { key, mostBytes }),
  })
}

type Bounds = { key: string; mostBytes: number }

/**
 * Nothing is sent but what is named here: the package adds headers that describe this machine, and those that
 * OPENAI_CUSTOM_HEADERS puts into every request. What is asked goes to the one server that was configured, so no
 * redirect is followed; and what a server says of a failure is not read, for it quotes what was asked.
 */
async function fetchBounded(
  input: string | URL | Request,
  { method = 'GET', body = null, signal = null }: RequestInit = {},
  { key, mostBytes }: Bounds,
): Promise<Response> {
  const sent = {
    authorization: `Bearer ${key}`,
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'membrane',
  }
  const response = await fetch(input, { method, body, signal, headers: sent, redirect: 'manual' })
  const { status, headers } = response
  if (response.ok && response.body) return new Response(count(response.body, mostBytes), { status, headers })
  await response.body?.cancel()
  return new Response(null, { status, headers })
}

/** The body is counted while it comes: a length that was announced may be a lie. */
function count(body: ReadableStream<Uint8Array<ArrayBuffer>>, mostBytes: number) {
  let bytes = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > mostBytes) controller.error(new ModelFailure('invalid_answer'))
        else controller.enqueue(chunk)
      },
    }),
  )
}

/** What went wrong, in our words. */
export function describeFailure(error: unknown, clock: Clock): ModelFailure {
  if (error instanceof ModelFailure) return error
  if (error instanceof APIUserAbortError || isAbort(error)) return new ModelFailure('aborted')
  if (error instanceof APIConnectionTimeoutError) return new ModelFailure('timeout')
  // A TypeError is how `fetch` says that the connection broke while the body came.
  if (error instanceof APIConnectionError || error instanceof TypeError)
    return new ModelFailure('unavailable')
  if (!(error instanceof APIError)) return new ModelFailure('invalid_answer')
  const { status } = error
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
  if (/^\d+(\.\d+)?$/.test(told)) return Number(told) * 1_000
  const milliseconds = Date.parse(told) - clock.now().getTime()
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined
}
