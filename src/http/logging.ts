import { type FastifyServerOptions, LogController } from 'fastify'
import type { Clock } from '../kernel/clock.ts'
import { traceIdOf } from './tracing.ts'

export type Log = { level: string; stream?: { write(line: string): void } }

/** One JSON line per event, with ids and never with content: no URL, no body, no header goes in. */
export function logOptions(log: Log, clock: Clock) {
  return {
    logger: {
      level: log.level,
      ...(log.stream ? { stream: log.stream } : {}),
      timestamp: () => `,"time":"${clock.now().toISOString()}"`,
      formatters: { level: (level: string) => ({ level }) },
      serializers: { err: describeError },
    },
    // Fastify's own lines carry the URL, and a query string is content.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
  } satisfies FastifyServerOptions
}

/** Joins each line of a request to the caller's trace. */
export const createRequestLog: NonNullable<FastifyServerOptions['childLoggerFactory']> = (
  logger,
  bindings,
  options,
  raw,
) => {
  const traceId = traceIdOf(raw)
  return logger.child(traceId === undefined ? bindings : { ...bindings, trace_id: traceId }, options)
}

type Described = { type: string; message: string; stack: string; [detail: string]: unknown }

/** What PostgreSQL names besides the message: never `detail` and `where`, which quote the row. */
const details = ['code', 'severity', 'constraint', 'table', 'column', 'routine'] as const

/**
 * An error as a log line may carry it. PostgreSQL and JSON.parse quote the offending value in their messages,
 * so of those only the class, the code and the place are kept.
 */
export function describeError(error: unknown): Described {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an Error', stack: '' }
  const quotes = error instanceof SyntaxError || 'severity' in error
  const named = details.flatMap((name) => {
    const value: unknown = Reflect.get(error, name)
    return typeof value === 'string' ? [[name, value]] : []
  })
  return {
    type: error.name,
    message: quotes ? '(withheld: it may quote content)' : error.message,
    stack: framesOf(error),
    ...Object.fromEntries(named),
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  }
}

/** The first lines of a stack repeat the message. */
function framesOf({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}
