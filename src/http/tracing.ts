import type { IncomingMessage } from 'node:http'

/** Whatever passes may be written into a log line or a header as it is. */
const acceptable = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's own id, so that its log and ours tell one story, or undefined when we must make one. */
export function givenRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : undefined
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** The trace this request is part of, by W3C Trace Context §3.2; an invalid header is as good as none. */
export function traceIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const given = headers['traceparent']
  const match = typeof given === 'string' ? traceparent.exec(given) : null
  if (!match) return undefined
  const [, version, traceId, parentId, future] = match
  if (version === 'ff' || (version === '00' && future !== undefined)) return undefined
  return isZero(traceId) || isZero(parentId) ? undefined : traceId
}

function isZero(hex: string | undefined): boolean {
  return hex === undefined || /^0+$/.test(hex)
}
