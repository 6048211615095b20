import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import type { Clock } from '../kernel/clock.ts'
import { getBaseUrl } from './endpoint.ts'
import { ModelFailure } from './model-failure.ts'

export type Server = {
  endpoint: string
  apiKey?: string | undefined
  clock: Clock
  /** A server that answers with more is broken. */
  maxBytes?: number
}

/** Some hundred vectors as text; parsing it holds up everything else for a good tenth of a second. */
const defaultMaxBytes = 32 * 1_024 * 1_024

/** The package reads OPENAI_CUSTOM_HEADERS though nothing is made of it, and quotes what it cannot read. */
export function createClient(server: Server): OpenAI {
  try {
    return configureClient(server)
  } catch {
    throw new ModelFailure('misconfigured')
  }
}

/** Everything is said here: what is left out, the package takes from the environment. */
function configureClient({ endpoint, apiKey, maxBytes = defaultMaxBytes }: Server): OpenAI {
  // A server without keys still wants the header to be there.
  const key = apiKey ?? 'none'
  return new OpenAI({
    baseURL: getBaseUrl(endpoint),
    apiKey: key,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    // Ours, because the package's would go on beyond a deadline.
    maxRetries: 0,
    logLevel: 'off',
    fetch: (input, init) => fetchBounded(input, init, { key, maxBytes }),
  })
}

type Bounds = { key: string; maxBytes: number }

/**
 * Nothing is sent but what is named here: the package adds headers that describe this machine, and those that
 * OPENAI_CUSTOM_HEADERS puts into every request. What is asked goes to the one server that was configured, so no
 * redirect is followed; and what a server says of a failure is not read, for it quotes what was asked.
 */
async function fetchBounded(
  input: string | URL | Request,
  { method = 'GET', body = null, signal = null }: RequestInit = {},
  { key, maxBytes }: Bounds,
): Promise<Response> {
  const sentHeaders = {
    authorization: `Bearer ${key}`,
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'membrane',
  }
  const response = await fetch(input, { method, body, signal, headers: sentHeaders, redirect: 'manual' })
  const { status, headers } = response
  if (response.ok && response.body)
    return new Response(limitBody(response.body, maxBytes), { status, headers })
  await response.body?.cancel()
  return new Response(null, { status, headers })
}

/** The body is counted while it comes: a length that was announced may be a lie. */
function limitBody(body: ReadableStream<Uint8Array<ArrayBuffer>>, maxBytes: number) {
  let bytes = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > maxBytes) controller.error(new ModelFailure('invalid_answer'))
        else controller.enqueue(chunk)
      },
    }),
  )
}

/** What went wrong, in our words. */
export function toModelFailure(error: unknown, clock: Clock): ModelFailure {
  if (error instanceof ModelFailure) return error
  if (error instanceof APIUserAbortError || isAbort(error)) return new ModelFailure('aborted')
  if (error instanceof APIConnectionTimeoutError) return new ModelFailure('timeout')
  // A TypeError is how `fetch` says that the connection broke while the body came.
  if (error instanceof APIConnectionError || error instanceof TypeError)
    return new ModelFailure('unavailable')
  if (!(error instanceof APIError)) return new ModelFailure('invalid_answer')
  const { status } = error
  if (typeof status !== 'number') return new ModelFailure('unavailable')
  const retryAfterMs = readRetryAfter(error.headers, clock)
  const details = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  if (status === 429) return new ModelFailure('rate_limited', details)
  if (status === 408 || status === 409 || status >= 500) return new ModelFailure('unavailable', details)
  return new ModelFailure('refused', details)
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
}

/** Seconds, or a date. */
function readRetryAfter(headers: unknown, clock: Clock): number | undefined {
  const details = headers instanceof Headers ? headers.get('retry-after') : null
  if (details === null) return undefined
  if (/^\d+(\.\d+)?$/.test(details)) return Number(details) * 1_000
  const milliseconds = Date.parse(details) - clock.now().getTime()
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined
}
