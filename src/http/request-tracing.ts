import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseTraceparent, type Span, type TraceContext, type Tracer } from '../kernel/span.ts'
import { onCompleted } from './completed-requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span
  }
}

/** Ids that match can be written to logs and headers without escaping. */
const acceptable = /^[A-Za-z0-9._-]{1,128}$/

/** The request id that the caller sent, so that both logs use one id; undefined when we must create one. */
export function readRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : undefined
}

/** The trace of the caller, and the span in it that sent this request. */
function readTraceContext({ headers }: Pick<IncomingMessage, 'headers'>): TraceContext | undefined {
  const given = headers['traceparent']
  return typeof given === 'string' ? parseTraceparent(given) : undefined
}

export function readTraceId(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  return readTraceContext(request)?.traceId
}

/**
 * Starts a span for each request before authentication and ends it after the last byte. Without a tracer the trace id
 * of the caller is still logged and passed on.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer | undefined): void {
  app.decorateRequest('span')
  if (!tracer) return
  app.addHook('onRequest', (request, _reply, done) => {
    const route = getRouteTemplate(request)
    request.span = tracer.startSpan(`${request.method} ${route}`, {
      kind: 'server',
      parent: readTraceContext(request.raw),
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'membrane.request_id': request.id,
      },
    })
    request.span.run(done)
  })
  // The body is read in a callback of the socket, outside the span, so the span is entered again.
  app.addHook('preValidation', (request, _reply, done) => (request.span ? request.span.run(done) : done()))
  onCompleted(app, (request, _reply, status) => {
    request.span?.end({
      attributes: { 'http.response.status_code': status },
      failure: status >= 500 ? String(status) : undefined,
    })
  })
}

/** The route template, never the URL: a query string is content, and paths would make endless label values. */
export function getRouteTemplate(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none'
}

/** The trace context for work that this request starts elsewhere: its own span, or that of the caller. */
export function getTraceContext(request: FastifyRequest): TraceContext | undefined {
  return request.span?.context ?? readTraceContext(request.raw)
}
