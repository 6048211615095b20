/** What went wrong, in a caller's terms; the kind alone decides the HTTP status and whether to retry. */
export type ErrorKind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method'
  | 'conflict'
  | 'gone'
  | 'precondition'
  | 'timeout'
  | 'too_large'
  | 'media_type'
  | 'invalid'
  | 'precondition_required'
  | 'headers_too_large'
  | 'throttled'
  | 'defect'
  | 'unavailable'

/** Every code a client can meet. Codes are stable: a new meaning gets a new code. docs/errors.md is made of this. */
export const catalogue = {
  malformed_json: { kind: 'malformed', meaning: 'The body is not JSON.' },
  malformed_request: { kind: 'malformed', meaning: 'The request is not valid HTTP for this server.' },
  invalid_cursor: {
    kind: 'malformed',
    meaning: 'The cursor is damaged or was made for another query; start from the first page.',
  },
  unauthenticated: { kind: 'unauthenticated', meaning: 'The key is missing, unknown, expired or revoked.' },
  forbidden: { kind: 'forbidden', meaning: 'The key lacks the permission that this call needs.' },
  outside_trust: {
    kind: 'forbidden',
    meaning:
      'The body names a scope the key does not have or a sensitivity above its ceiling; or the record to change is in no scope of the key, and an unscoped record is changed by a key of all scopes alone.',
  },
  above_ceiling: {
    kind: 'forbidden',
    meaning: 'The key sees this record only redacted, and so may not change or link it.',
  },
  route_not_found: { kind: 'not_found', meaning: 'No such path.' },
  record_not_found: {
    kind: 'not_found',
    meaning: 'No record of that id exists for this key; one it may not see looks the same.',
  },
  relation_not_found: { kind: 'not_found', meaning: 'The record has no such edge.' },
  tombstone_not_found: { kind: 'not_found', meaning: 'No tombstone of that id.' },
  run_not_found: { kind: 'not_found', meaning: 'No maintenance run of that id for this key.' },
  job_not_found: { kind: 'not_found', meaning: 'No job of that name.' },
  key_not_found: { kind: 'not_found', meaning: 'No API key of that id.' },
  method_not_allowed: { kind: 'method', meaning: 'The path exists, the method does not; see Allow.' },
  record_exists: { kind: 'conflict', meaning: 'The id is already in use.' },
  identifier_taken: {
    kind: 'conflict',
    meaning: 'Another entity of this scope and sensitivity already has that namespace and value.',
  },
  episodic_immutable: {
    kind: 'conflict',
    meaning: 'What happened is not rewritten: episodes are immutable.',
  },
  payload_immutable: {
    kind: 'conflict',
    meaning: 'The payload of this type changes through revision, not by patch.',
  },
  record_retracted: {
    kind: 'conflict',
    meaning: 'The record was retracted, superseded or merged: it is history, and no longer changes.',
  },
  invalid_transition: {
    kind: 'conflict',
    meaning: 'A record of this status does not become what was asked; `status` says what it is.',
  },
  no_further_layer: {
    kind: 'conflict',
    meaning: 'There is no step from the layer of the record that way; `layer` says which it is. Name one.',
  },
  already_superseded: {
    kind: 'conflict',
    meaning: 'The record was superseded or merged already; `superseded_by` says by what.',
  },
  reserved_predicate: {
    kind: 'conflict',
    meaning:
      'Only the service writes and deletes this edge: a revision, a derivation or a contest made it, or would make it.',
  },
  already_retracted: { kind: 'conflict', meaning: 'The record was retracted already.' },
  not_revisable: { kind: 'conflict', meaning: 'Working memory is patched, not revised.' },
  type_mismatch: { kind: 'conflict', meaning: 'The record is not of the type that this call is for.' },
  no_vectors: {
    kind: 'conflict',
    meaning: 'No vectors can be searched: this server keeps none, or has not embedded any yet.',
  },
  no_drift_roots: {
    kind: 'conflict',
    meaning: 'This server was started without MEMBRANE_DRIFT_ROOTS: there is nothing to look beneath.',
  },
  run_finished: { kind: 'conflict', meaning: 'The maintenance run has ended already.' },
  request_in_progress: {
    kind: 'conflict',
    meaning: 'A request with this Idempotency-Key is still running; repeat it shortly.',
  },
  record_pinned: { kind: 'conflict', meaning: 'The record is pinned; unpin it, or use force.' },
  deletion_policy_never: {
    kind: 'conflict',
    meaning: 'The deletion policy of the record, or of one that would go with it, is `never`.',
  },
  record_not_forgotten: { kind: 'conflict', meaning: 'Only a forgotten record can be restored.' },
  erased_content: {
    kind: 'conflict',
    meaning: 'The same content was erased from this scope, and may not come back.',
  },
  record_purged: {
    kind: 'gone',
    meaning: 'The record was forgotten and its time to be restored is over; its audit log remains.',
  },
  record_erased: { kind: 'gone', meaning: 'The record was erased; who did so and when remains.' },
  record_forgotten: { kind: 'gone', meaning: 'The record was forgotten; `reason` says why.' },
  request_timeout: { kind: 'timeout', meaning: 'The request took too long to arrive.' },
  version_mismatch: {
    kind: 'precondition',
    meaning: 'The record has changed since the version in If-Match.',
  },
  body_too_large: { kind: 'too_large', meaning: 'The body is over 10 MiB, or a line of it over 16 MiB.' },
  unsupported_media_type: {
    kind: 'media_type',
    meaning: 'The body is of a type or an encoding that this call does not take: nearly all take JSON.',
  },
  validation_failed: {
    kind: 'invalid',
    meaning: 'The request breaks the schema; `errors` names every place.',
  },
  number_too_large: {
    kind: 'invalid',
    meaning:
      'A number of the body would be changed, as JSON readers keep 53 bits of an integer; send a string.',
  },
  scope_required: {
    kind: 'invalid',
    meaning: 'The key has several scopes, so the body must say which one it writes to.',
  },
  evidence_required: {
    kind: 'invalid',
    meaning: 'A fact that comes of a revision needs evidence or a source of its own.',
  },
  sensitivity_lowered: {
    kind: 'invalid',
    meaning:
      'What comes of a revision is at least as sensitive as what it comes from, unless an admin says so.',
  },
  scope_mismatch: { kind: 'invalid', meaning: 'What is revised together belongs to one scope.' },
  idempotency_key_reused: {
    kind: 'invalid',
    meaning: 'The Idempotency-Key was used before with another request.',
  },
  invalid_idempotency_key: {
    kind: 'invalid',
    meaning: 'An Idempotency-Key is 1 to 255 visible ASCII characters.',
  },
  headers_too_large: { kind: 'headers_too_large', meaning: 'The request line and headers are over 16 KiB.' },
  if_match_required: {
    kind: 'precondition_required',
    meaning: 'This server changes a record only under an If-Match with its version.',
  },
  rate_limited: { kind: 'throttled', meaning: 'Too many requests for this key; wait for Retry-After.' },
  model_unavailable: {
    kind: 'unavailable',
    meaning: 'The embedding model does not answer at the moment.',
  },
  overloaded: { kind: 'unavailable', meaning: 'The server sheds load; wait for Retry-After.' },
  database_unavailable: { kind: 'unavailable', meaning: 'The database cannot be reached at the moment.' },
  tombstone_key_missing: {
    kind: 'unavailable',
    meaning: 'Erasing needs MEMBRANE_TOMBSTONE_KEY, which this server was started without.',
  },
  tombstone_key_mismatch: {
    kind: 'unavailable',
    meaning: 'There are tombstones that were made with another key, so this server cannot keep to them.',
  },
  shutting_down: { kind: 'unavailable', meaning: 'This process is stopping; another one will answer.' },
  not_ready: { kind: 'unavailable', meaning: 'A part is not ready; `parts` says which.' },
  internal_error: {
    kind: 'defect',
    meaning: 'A fault of the server, not of the request; the log has it under `request_id`.',
  },
} as const satisfies Record<string, { kind: ErrorKind; meaning: string }>

export type ErrorCode = keyof typeof catalogue

/** One place in the request that is wrong; the pointer is RFC 6901, into the body unless it starts with `?`. */
export type Fault = { pointer: string; message: string }

type Details = {
  errors?: readonly Fault[]
  /** Members of the problem document beyond the standard ones. */
  extra?: Readonly<Record<string, unknown>>
  retryAfterSeconds?: number
  cause?: unknown
}

/** A failure the caller can understand. Anything else that is thrown is a defect: logged, hidden, 500. */
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

  /** The same failure seen from a larger body, of which `prefix` points at the part it was about. */
  at(prefix: string): AppError {
    const errors = (this.errors ?? [{ pointer: '', message: this.message }]).map((fault) => ({
      ...fault,
      pointer: `${prefix}${fault.pointer}`,
    }))
    return new AppError(this.code, this.message, { errors, extra: this.extra, cause: this })
  }
}
