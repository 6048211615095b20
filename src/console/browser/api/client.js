import { key, rejectKey } from './key.js'
import { readProblem, Unreachable } from './problem.js'

/** @import { Api, CallOptions, Method } from './types.d.ts' */

/**
 * Sends a request with the key of this tab and returns the response, which may be a refusal. For answers that are not JSON,
 * such as a stream of events or a file.
 * @param {Method} method
 * @param {string} path
 * @param {CallOptions & { key?: string | undefined, headers?: Record<string, string> }} [options]
 * @returns {Promise<Response>}
 */
export async function send(method, path, options = {}) {
  const { body, signal } = options
  const isRaw = body instanceof Blob || typeof body === 'string'
  const init = {
    method: method.toUpperCase(),
    headers: describeHeaders(method, options, isRaw),
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }
  const address = toRequestPath(path, options)
  try {
    return await fetch(address, init)
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Unreachable()
  }
}

/**
 * Calls an operation and returns the body of its answer.
 * @param {Method} method
 * @param {string} path
 * @param {Parameters<typeof send>[2]} [options]
 * @returns {Promise<unknown>}
 */
export async function call(method, path, options = {}) {
  const response = await send(method, path, options)
  if (response.ok) return response.status === 204 ? undefined : response.json()
  const problem = await readProblem(response)
  if (problem.status === 401 && options.key === undefined) rejectKey()
  throw problem
}

/** The operations of the public API, with the types of the OpenAPI document. */
export const api = /** @type {Api} */ (
  /** @type {unknown} */ ({
    get: bind('get'),
    post: bind('post'),
    put: bind('put'),
    patch: bind('patch'),
    delete: bind('delete'),
  })
)

/** @param {Method} method */
function bind(method) {
  return (/** @type {string} */ path, /** @type {CallOptions} */ options) => call(method, path, options)
}

/**
 * @param {Method} method
 * @param {Parameters<typeof send>[2] & {}} options
 * @param {boolean} isRaw
 * @returns {Record<string, string>}
 */
export function describeHeaders(method, { key: given, body, version, headers }, isRaw) {
  const token = given ?? key.value
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
    ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
    ...(method === 'post' || method === 'patch' || method === 'delete'
      ? { 'idempotency-key': createToken() }
      : {}),
    ...headers,
  }
}

/** crypto.randomUUID exists only on localhost and over TLS. */
function createToken() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/** @param {string} template @param {CallOptions} options */
export function toRequestPath(template, { path = {}, query = {} }) {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''))
  const entries = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined || one === '' ? [] : [[name, String(one)]])),
  )
  return entries.length === 0 ? filled : `${filled}?${new URLSearchParams(entries)}`
}
