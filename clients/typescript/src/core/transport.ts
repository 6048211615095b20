import { createDeadline, type Deadline, wait } from './deadline.ts'
import { ConnectionError, isProblem, type ProblemError, readRefusal } from './problem.ts'

export type ClientOptions = {
  /** Where the service is, for example `http://127.0.0.1:8080`. */
  baseUrl: string
  apiKey?: string | undefined
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Another `fetch`, for example one of a test or a proxy. */
  fetch?: typeof globalThis.fetch | undefined
  /** How long one attempt may take; in a stream, how long nothing may arrive. 30 seconds by default. */
  timeoutMs?: number | undefined
  /** How often a request is repeated that was not answered, or refused for now. 3 by default. */
  retries?: number | undefined
  /** A request is not repeated when the server asks to wait longer. 30 seconds by default. */
  maxRetryDelayMs?: number | undefined
}

export type CallOptions = {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  retries?: number | undefined
}

export type Body = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>

export type OutgoingRequest = CallOptions & {
  operation: string
  method: string
  /** With the query. */
  path: string
  headers: Readonly<Record<string, string>>
  body?: Body | undefined
}

/** Sends a request and reads its answer within the same deadline. */
export type Transport = <T>(
  request: OutgoingRequest,
  read: (response: Response, deadline: Deadline) => Promise<T>,
) => Promise<T>

/**
 * Every operation may be repeated: it only reads, it sets a whole value, or it carries an Idempotency-Key. So a failed
 * connection, too, is tried again.
 */
export function createTransport(options: ClientOptions): Transport {
  // Of the last write. Sent with every request, so that a replica of the database does not hide a write from its writer.
  let position: string | undefined
  return (request, read) => {
    const seen = position === undefined ? {} : { 'membrane-position': position }
    const placed = { ...request, headers: { ...seen, ...request.headers } }
    return tryRepeatedly(request, options, () =>
      tryOnce(options, placed, (response, deadline) => {
        position = response.headers.get('membrane-position') ?? position
        return read(response, deadline)
      }),
    )
  }
}

async function tryRepeatedly<T>(
  { body, signal, ...request }: OutgoingRequest,
  { retries = 3, maxRetryDelayMs = 30_000 }: ClientOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  // A stream cannot be sent a second time.
  const most = body instanceof ReadableStream ? 0 : (request.retries ?? retries)
  for (let failed = 0; ; failed++) {
    try {
      return await attempt()
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      const delayMs = failed < most ? chooseDelay(error, failed, maxRetryDelayMs) : undefined
      if (delayMs === undefined) throw error
      await wait(delayMs, signal)
    }
  }
}

async function tryOnce<T>(
  options: ClientOptions,
  request: OutgoingRequest,
  read: (response: Response, deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { operation, signal, timeoutMs = options.timeoutMs ?? 30_000 } = request
  const deadline = createDeadline(timeoutMs, signal)
  try {
    const response = await callFetch(options, request, deadline.signal)
    if (!response.ok) throw await readRefusal(operation, response)
    return await read(response, deadline)
  } catch (error) {
    deadline.end()
    if (isProblem(error)) throw error
    throw new ConnectionError(operation, deadline.signal.aborted ? deadline.signal.reason : error)
  }
}

async function callFetch(
  { baseUrl, apiKey, headers: always, fetch = globalThis.fetch }: ClientOptions,
  { method, path, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(baseUrl.replace(/\/+$/, '') + path, {
    method,
    // A redirect would turn a POST into a GET.
    redirect: 'manual',
    signal,
    headers: {
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...always,
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  })
}

const passing = new Set([408, 429, 502, 503, 504])

/** Milliseconds; undefined when another attempt would fail in the same way, or has to wait too long. */
function chooseDelay(error: unknown, attempt: number, longestMs: number): number | undefined {
  const backoffMs = Math.random() * 250 * 2 ** attempt
  if (error instanceof ConnectionError) return backoffMs
  if (!isProblem(error) || !isPassing(error)) return undefined
  const { retryAfterMs = 0 } = error
  // Requests that were refused together must not come back together.
  return retryAfterMs > longestMs ? undefined : retryAfterMs + backoffMs
}

function isPassing(error: ProblemError): boolean {
  // The first attempt with this Idempotency-Key still runs.
  return passing.has(error.status) || error.code === 'request_in_progress'
}
