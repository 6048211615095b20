export type FailureReason =
  | 'timeout'
  | 'rate_limited'
  | 'unavailable'
  /** The server refuses this request, so a retry does not help. */
  | 'refused'
  | 'invalid_answer'
  | 'aborted'
  /** OPENAI_CUSTOM_HEADERS does not contain valid headers. */
  | 'misconfigured'

const temporaryReasons: ReadonlySet<FailureReason> = new Set(['timeout', 'rate_limited', 'unavailable'])
const permanentStatuses: ReadonlySet<number | undefined> = new Set([401, 404])

/** After this many failures in a row a run counts the model as unavailable, and leaves the rest to the next run. */
export const maxModelFailures = 3

/** The tokens as the server counted them, 0 if it did not, and the characters of the answer. */
export type AnswerSize = { promptTokens: number; completionTokens: number; length: number }
type Details = { status?: number; retryAfterMs?: number | undefined; size?: AnswerSize }

/**
 * Why a model did not answer. It never contains words of the server or the package: both quote the request, which
 * contains memory content and keys.
 */
export class ModelFailure extends Error {
  readonly reason: FailureReason
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** The size of an answer that cannot be read. */
  readonly size: AnswerSize | undefined

  constructor(reason: FailureReason, { status, retryAfterMs, size }: Details = {}) {
    super(`the model did not answer: ${reason}${status === undefined ? '' : ` (${status})`}`)
    this.name = 'ModelFailure'
    this.reason = reason
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.size = size
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return temporaryReasons.has(this.reason)
  }

  /** Whether the server answers, and refuses only this text, as far as it says. */
  get isAboutText(): boolean {
    return this.reason === 'refused' && !this.affectsAllRequests
  }

  /**
   * Whether it counts as one of the failures in a row. A server answers 403 to a key that it does not accept, and gateways also to a
   * text that their filter refuses: one such text must not keep the model from all others in every run.
   */
  get mayAffectOthers(): boolean {
    return this.isTemporary || this.status === 403
  }

  /**
   * Whether every request would fail in the same way: the key, the address or the model is wrong, or the caller has
   * stopped waiting.
   */
  get affectsAllRequests(): boolean {
    const isRefused = this.reason === 'refused' && permanentStatuses.has(this.status)
    return isRefused || this.reason === 'misconfigured' || this.reason === 'aborted'
  }
}
