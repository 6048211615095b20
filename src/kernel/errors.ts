import { catalogue, type ErrorCode, type ErrorKind } from './error-catalogue.ts'

export { catalogue, type ErrorCode, type ErrorKind }

/** One invalid place in the request. The pointer is RFC 6901, into the body unless it starts with `?`. */
export type Fault = { pointer: string; message: string }

type Details = {
  errors?: readonly Fault[]
  /** Members of the problem document besides the standard ones. */
  extra?: Readonly<Record<string, unknown>>
  retryAfterSeconds?: number
  cause?: unknown
}

/** A failure that the client can understand. Any other error is a defect: logged, hidden, 500. */
export class AppError extends Error {
  readonly kind: ErrorKind
  readonly code: ErrorCode
  readonly errors: readonly Fault[] | undefined
  readonly extra: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.kind = catalogue[code].kind
    this.errors = details.errors
    this.extra = details.extra ?? {}
    this.retryAfterSeconds = details.retryAfterSeconds
  }

  /** The same failure for a larger body in which `prefix` points at the failed part. */
  at(prefix: string): AppError {
    const errors = (this.errors ?? [{ pointer: '', message: this.message }]).map((fault) => ({
      ...fault,
      pointer: `${prefix}${fault.pointer}`,
    }))
    return new AppError(this.code, this.message, { errors, extra: this.extra, cause: this })
  }
}

/** The refusal of a request of which one place is invalid. */
export function createFaultError(detail: string, fault: Fault): AppError {
  return new AppError('validation_failed', detail, { errors: [fault] })
}

/** The invalid places as text, of which a reader needs only the first. */
export function describeFaults(faults: readonly Fault[]): string[] {
  return faults.slice(0, 20).map(({ pointer, message }) => `${pointer || '/'} ${message}`)
}

/** Goes on with what is no error. An error stays at its place in the list. */
export function mapOutcomes<T, R>(
  outcomes: readonly (T | AppError)[],
  work: (outcome: T) => R | AppError,
): (R | AppError)[] {
  return outcomes.map((outcome) => (outcome instanceof AppError ? outcome : work(outcome)))
}
