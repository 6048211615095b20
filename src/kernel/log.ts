import type { Clock } from './clock.ts'

/** In order: each level writes fewer lines than the one before. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

type Fields = Readonly<Record<string, unknown>>
type Write = (message: string, fields?: Fields) => void
export type Logger = Readonly<Record<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', Write>>

/** Reports a failure that happened after the answer to a request was sent. It never contains content. */
export type Report = (message: string, error?: unknown) => void

type LogOptions = { level: string; clock: Clock; bindings?: Fields; write(line: string): void }

/** One JSON line per event, in the same form as the lines of the API, with ids and never with content. */
export function createLogger({ level: least, clock, bindings = {}, write }: LogOptions): Logger {
  const logAt =
    (level: string): Write =>
    (message, fields = {}) => {
      if (levels.indexOf(level) < levels.indexOf(least)) return
      const { err, ...rest } = fields
      const described = err === undefined ? {} : { err: describeError(err) }
      const line = {
        level,
        time: clock.now().toISOString(),
        ...bindings,
        ...rest,
        ...described,
        msg: message,
      }
      write(`${JSON.stringify(line)}\n`)
    }
  return forEachLevel(logAt)
}

/** Returns the same log, with these fields in each line. */
export function bindLog(log: Logger, bindings: Fields): Logger {
  return forEachLevel((level) => (message, fields) => log[level](message, { ...bindings, ...fields }))
}

function forEachLevel(logAt: (level: keyof Logger) => Write): Logger {
  return {
    trace: logAt('trace'),
    debug: logAt('debug'),
    info: logAt('info'),
    warn: logAt('warn'),
    error: logAt('error'),
    fatal: logAt('fatal'),
  }
}

type Described = { type: string; message: string; stack: string; [detail: string]: unknown }

/** Fields of a PostgreSQL error that are logged; never `detail` and `where`, which quote the row. */
const details = ['code', 'severity', 'constraint', 'table', 'column', 'routine'] as const

/**
 * Describes an error for a log line. Messages of PostgreSQL and JSON.parse quote the offending value, so only their
 * class, code and place are kept.
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
    stack: listFrames(error),
    ...Object.fromEntries(named),
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  }
}

/** Describes a failure for clients that may read runs: the kind and the violated constraint, never the row. */
export function describeFailure(error: unknown): string {
  const { type, message, code, constraint } = describeError(error)
  const details = [code, constraint].filter((detail) => detail !== undefined)
  return details.length > 0 ? `database error ${details.join(' ')}` : `${type}: ${message}`
}

/** Only the frames: the first lines of a stack repeat the message. */
function listFrames({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}
