import type { Answered } from '../http/openapi-contract.ts'
import type { HostileRequest } from './hostile-request.ts'
import type { Received } from './send-raw-request.ts'

type Verify = (answered: Answered) => void

const slowMs = 10_000

/** Refusals before routing, which operations do not document: an unknown method or invalid HTTP. */
const beforeRouting = new Set(['malformed_request', 'headers_too_large', 'request_timeout'])
const innards = /node_modules|\.ts:\d+|PostgresError|at Object\.|ECONNREFUSED/

/** Lists everything in an answer that the document does not allow. */
export function findAnswerFaults(
  attack: HostileRequest,
  received: Received | undefined,
  verify: Verify,
): string[] {
  if (!received) return attack.hangsUp ? [] : ['no answer']
  const { status, headers, text, milliseconds } = received
  const problem = status >= 400 && attack.method !== 'HEAD' ? problemOf(text) : undefined
  return [
    ...(status >= 500 && status !== 503 ? [`a defect, ${status}`] : []),
    // One of many items in an answer may have a defect.
    ...(status < 300 && text.includes('"code":"internal_error"') ? ['a defect within'] : []),
    ...(milliseconds > slowMs ? ['an answer that was long in coming'] : []),
    ...faultsOfHeaders(status, headers),
    ...(status >= 400 && innards.test(text) ? ['innards shown'] : []),
    ...(problem && problem['status'] !== status ? ['a problem of another status'] : []),
    ...faultsOfShape(attack, received, problem, verify),
  ]
}

function faultsOfHeaders(status: number, headers: Received['headers']): string[] {
  const needed: Record<number, string> = {
    401: 'www-authenticate',
    405: 'allow',
    429: 'retry-after',
    503: 'retry-after',
  }
  const missing = ['x-request-id', needed[status]].filter((name) => name !== undefined && !headers.has(name))
  const injected = [...headers.keys()].filter((name) => name.startsWith('x-injected'))
  return [
    ...missing.map((name) => `${status} without ${name}`),
    ...injected.map((name) => `an injected ${name}`),
  ]
}

function faultsOfShape(
  { broken, method, target }: HostileRequest,
  { status, headers, text }: Received,
  problem: Record<string, unknown> | undefined,
  verify: Verify,
): string[] {
  // An answer to HEAD has only its status: 405, or 431 for headers that are too large.
  const isBefore =
    broken !== undefined || status === 405 || status === 431 || beforeRouting.has(String(problem?.['code']))
  if (isBefore && status < 400) return []
  const mediaType = (headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  // An answer that belongs to no operation must still be a problem document.
  const path = isBefore ? '/' : (target.split('?', 1)[0] ?? '')
  try {
    verify({ method, path, status, mediaType, text })
    return []
  } catch (error) {
    return [`an answer not as documented: ${error instanceof Error ? error.message.slice(0, 400) : error}`]
  }
}

function problemOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
