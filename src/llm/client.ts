import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import type { Clock } from '../kernel/clock.ts'
import { ModelFailure } from './model-failure.ts'

type Server = {
  endpoint: string
  apiKey?: string | undefined
  clock: Clock
  /** A larger response is treated as a fault of the server. */
  maxBytes?: number
}

/** A few hundred vectors as text. Parsing it blocks the process for about a tenth of a second. */
const defaultMaxBytes = 32 * 1_024 * 1_024

/** The package parses OPENAI_CUSTOM_HEADERS even if it is not used, and quotes an invalid value in its error. */
export function createClient(server: Server): OpenAI {
  try {
    return configureClient(server)
  } catch {
    throw new ModelFailure('misconfigured')
  }
}

/** Sets every option, because the package reads missing ones from the environment. */
function configureClient({ endpoint, apiKey, maxBytes = defaultMaxBytes }: Server): OpenAI {
  // The package requires a key even for servers that need none.
  const key = apiKey ?? 'none'
  return new OpenAI({
    baseURL: getBaseUrl(endpoint),
    apiKey: key,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    // Retries are in request-retries.ts, because those of the package continue after the deadline.
    maxRetries: 0,
    logLevel: 'off',
    fetch: (input, init) => fetchBounded(input, init, { key, maxBytes }),
  })
}

/** The endpoint may be a base URL or the full path of a request. */
function getBaseUrl(endpoint: string): string {
  return endpoint.replace(/\/+$/, '').replace(/\/(chat\/completions|embeddings)$/, '')
}

type Bounds = { key: string; maxBytes: number }

/**
 * Sends only the headers listed here: the package adds headers that describe this machine and those in
 * OPENAI_CUSTOM_HEADERS. Redirects are not followed, so content goes only to the configured server. The body of an
 * error is not read, because it quotes the request.
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

/** Counts the bytes while they arrive, because the announced length may be wrong. */
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

/** Returns the failure without the words of the server or the package. */
export function toModelFailure(error: unknown, clock: Clock): ModelFailure {
  if (error instanceof ModelFailure) return error
  if (error instanceof APIUserAbortError || isAbort(error)) return new ModelFailure('aborted')
  if (error instanceof APIConnectionTimeoutError) return new ModelFailure('timeout')
  // `fetch` throws a TypeError if the connection breaks while the body arrives.
  if (error instanceof APIConnectionError || error instanceof TypeError)
    return new ModelFailure('unavailable')
  if (!(error instanceof APIError)) return new ModelFailure('invalid_answer')
  const { status } = error
  if (typeof status !== 'number') return new ModelFailure('unavailable')
  const retryAfterMs = readRetryAfter(error.headers, clock)
  const details = { status, retryAfterMs }
  if (status === 429) return new ModelFailure('rate_limited', details)
  if (status === 408 || status === 409 || status >= 500) return new ModelFailure('unavailable', details)
  return new ModelFailure('refused', details)
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
}

/** The header contains seconds or a date. */
function readRetryAfter(headers: unknown, clock: Clock): number | undefined {
  const details = headers instanceof Headers ? headers.get('retry-after') : null
  if (details === null) return undefined
  if (/^\d+(\.\d+)?$/.test(details)) return Number(details) * 1_000
  const milliseconds = Date.parse(details) - clock.now().getTime()
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined
}
