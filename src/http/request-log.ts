import { type FastifyServerOptions, LogController } from 'fastify'
import type { Clock } from '../kernel/clock.ts'
import { describeError } from '../kernel/log.ts'
import { readTraceId } from './request-tracing.ts'

export type Log = { level: string; stream?: { write(line: string): void } }

/** One JSON line per event, with ids and never with content: no URL, no body, no header. */
export function logOptions(log: Log, clock: Clock) {
  return {
    logger: {
      level: log.level,
      ...(log.stream ? { stream: log.stream } : {}),
      timestamp: () => `,"time":"${clock.now().toISOString()}"`,
      base: { pid: process.pid },
      formatters: { level: (level: string) => ({ level }) },
      serializers: { err: describeError },
    },
    // The lines of Fastify contain the URL, and a query string is content.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
  } satisfies FastifyServerOptions
}

/** Adds the trace id of the caller to each line of a request. */
export const createRequestLog: NonNullable<FastifyServerOptions['childLoggerFactory']> = (
  logger,
  bindings,
  options,
  raw,
) => {
  const traceId = readTraceId(raw)
  return logger.child(traceId === undefined ? bindings : { ...bindings, trace_id: traceId }, options)
}
