import type { components } from '../generated/api.ts'

export type Problem = components['schemas']['Problem']
export type ProblemCode = Problem['code']

type Refusal = {
  operation: string
  status: number
  problem: Problem | undefined
  retryAfterMs: number | undefined
}

/** The server, or a proxy before it, refused the request. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly operation: string
  readonly status: number
  /** The problem document; undefined when the answer was not one, for example that of a proxy. */
  readonly problem: Problem | undefined
  readonly code: ProblemCode | undefined
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined

  constructor({ operation, status, problem, retryAfterMs }: Refusal) {
    super(`${operation}: ${problem ? describeProblem(problem) : `status ${status}`}`)
    this.operation = operation
    this.status = status
    this.problem = problem
    this.code = problem?.code
    this.retryAfterMs = retryAfterMs
  }
}

/** No complete answer arrived; `cause` says why. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly operation: string
  readonly timedOut: boolean

  constructor(operation: string, cause: unknown) {
    const timedOut = cause instanceof Error && cause.name === 'TimeoutError'
    super(`${operation}: ${timedOut ? 'no answer in time' : describeFailure(cause)}`, { cause })
    this.operation = operation
    this.timedOut = timedOut
  }
}

const maxFaults = 3

/** With the first wrong places of the request, because a log often keeps only the message of an error. */
function describeProblem({ detail, code, errors = [] }: Problem): string {
  const faults = errors.slice(0, maxFaults).map(({ pointer, message }) => {
    // The detail of a single fault may be its message.
    const said = message === detail ? '' : message.replace(/\.$/, '')
    return `${pointer} ${said}`.trim()
  })
  const more = errors.length > maxFaults ? ` and ${errors.length - maxFaults} more` : ''
  const places = faults.filter((fault) => fault !== '').join('; ')
  return `${detail}${places === '' ? '' : ` ${places}${more}.`} (${code})`
}

/** `fetch` itself only says that it failed; its cause says why. */
function describeFailure(cause: unknown): string {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : ''
  return `the connection failed${reason === '' ? '' : `: ${reason}`}`
}

/** Whether the error is a problem, of one of the codes if any are named. */
export function isProblem(error: unknown, ...codes: readonly ProblemCode[]): error is ProblemError {
  if (!(error instanceof ProblemError)) return false
  return codes.length === 0 || (error.code !== undefined && codes.includes(error.code))
}

export async function readRefusal(operation: string, response: Response): Promise<ProblemError> {
  const { status, headers } = response
  const text = await response.text()
  const isDocument = headers.get('content-type')?.startsWith('application/problem+json') ?? false
  const problem = isDocument ? parseProblem(text) : undefined
  return new ProblemError({ operation, status, problem, retryAfterMs: readRetryAfter(headers) })
}

function parseProblem(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isOne = typeof value === 'object' && value !== null && 'code' in value && 'detail' in value
    return isOne ? (value as Problem) : undefined
  } catch {
    return undefined
  }
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function readRetryAfter(headers: Headers): number | undefined {
  const given = headers.get('retry-after')?.trim()
  if (given === undefined || given === '') return undefined
  const ms = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
