import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseTraceparent, type Span, type TraceContext, type Tracer } from '../kernel/span.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span
  }
}

/** Whatever passes may be written into a log line or a header as it is. */
const acceptable = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's own id, so that its log and ours tell one story, or undefined when we must make one. */
export function readRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : undefined
}

/** The trace this request is part of, and where in it. */
function readTraceContext({ headers }: Pick<IncomingMessage, 'headers'>): TraceContext | undefined {
  const given = headers['traceparent']
  return typeof given === 'string' ? parseTraceparent(given) : undefined
}

export function readTraceId(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  return readTraceContext(request)?.traceId
}

/**
 * Each request a span from before it is known who asks until the last byte is sent. Undefined while nobody listens:
 * then the trace is still the caller's, and is passed on as it came.
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
  // Reading a body ends where the socket says so, which is outside of the span.
  app.addHook('preValidation', (request, _reply, done) => (request.span ? request.span.run(done) : done()))
  app.addHook('onResponse', async (request, { statusCode: status }) => {
    request.span?.end({
      attributes: { 'http.response.status_code': status },
      failure: status >= 500 ? String(status) : undefined,
    })
  })
}

/** The template, never the URL: a query string is content, and a path is without end. */
export function getRouteTemplate(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none'
}

/** What this request sets going elsewhere belongs to: its own span, or where the caller's trace stands. */
export function getTraceContext(request: FastifyRequest): TraceContext | undefined {
  return request.span?.context ?? readTraceContext(request.raw)
}
