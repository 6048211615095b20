/** The kind alone decides the HTTP status and whether to retry. */
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

/** All error codes. A code is stable: a new meaning gets a new code. docs/errors.md is written from this list. */
export const catalogue = {
  malformed_json: { kind: 'malformed', meaning: 'The body is not JSON.' },
  malformed_request: { kind: 'malformed', meaning: 'The request is not valid HTTP for this server.' },
  invalid_cursor: {
    kind: 'malformed',
    meaning: 'The cursor is damaged or was made for another query; start from the first page.',
  },
  invalid_position: {
    kind: 'malformed',
    meaning:
      'The header Membrane-Position is not a value that this service returned; leave it out or send the last one.',
  },
  unauthenticated: { kind: 'unauthenticated', meaning: 'The key is missing, unknown, expired or revoked.' },
  forbidden: { kind: 'forbidden', meaning: 'The key lacks the permission that this operation needs.' },
  outside_trust: {
    kind: 'forbidden',
    meaning:
      'The body names a scope that the key does not have or a sensitivity above its ceiling, or the record to change is outside the scopes of the key. Only a key with all scopes can change a record without a scope.',
  },
  above_ceiling: {
    kind: 'forbidden',
    meaning:
      'The key sees this record only redacted: it may not change the record, link to it, or read its history and relations.',
  },
  tenant_suspended: { kind: 'forbidden', meaning: 'The tenant of the key is suspended.' },
  tenant_not_found: { kind: 'not_found', meaning: 'No tenant has this id.' },
  tenant_exists: { kind: 'conflict', meaning: 'Another tenant has this id.' },
  tenant_not_suspended: {
    kind: 'conflict',
    meaning: 'A tenant must be suspended before it is moved to another database.',
  },
  tenant_copy_differs: {
    kind: 'conflict',
    meaning:
      'The copy of the tenant does not have the same number of rows as the original; `differences` lists the tables.',
  },
  route_not_found: { kind: 'not_found', meaning: 'This path does not exist.' },
  record_not_found: {
    kind: 'not_found',
    meaning: 'The key can see no record with this id. A hidden record gets the same answer.',
  },
  conversation_not_found: {
    kind: 'not_found',
    meaning: 'The key can see no message of this conversation in this scope.',
  },
  relation_not_found: { kind: 'not_found', meaning: 'The record does not have this relation.' },
  tombstone_not_found: { kind: 'not_found', meaning: 'No tombstone has this id.' },
  run_not_found: { kind: 'not_found', meaning: 'The key can see no maintenance run with this id.' },
  plan_not_found: { kind: 'not_found', meaning: 'The key can see no plan with this id.' },
  job_not_found: { kind: 'not_found', meaning: 'No job has this name.' },
  budget_not_found: { kind: 'not_found', meaning: 'The scope has no budget of its own.' },
  worth_model_not_found: { kind: 'not_found', meaning: 'No model of worth has this id.' },
  key_not_found: { kind: 'not_found', meaning: 'No API key has this id.' },
  method_not_allowed: {
    kind: 'method',
    meaning: 'The path does not accept this method; the header Allow names those that it accepts.',
  },
  record_exists: { kind: 'conflict', meaning: 'The id is already in use.' },
  identifier_taken: {
    kind: 'conflict',
    meaning: 'Another entity of this scope and sensitivity already has this identifier.',
  },
  episodic_immutable: { kind: 'conflict', meaning: 'An episode cannot be changed, except for its outcome.' },
  payload_immutable: {
    kind: 'conflict',
    meaning: 'The payload of this type is changed by a revision, not by a patch.',
  },
  record_retracted: {
    kind: 'conflict',
    meaning:
      'The record was retracted, superseded or merged, and does not change any more; `superseded_by` is its current successor.',
  },
  invalid_transition: {
    kind: 'conflict',
    meaning: 'The present status of the record does not allow this change; `status` names it.',
  },
  no_further_layer: {
    kind: 'conflict',
    meaning: 'The present layer, `layer`, has no next layer in this direction. Name a layer in the request.',
  },
  already_superseded: {
    kind: 'conflict',
    meaning: 'The record was superseded or merged already; `superseded_by` is its current successor.',
  },
  reserved_predicate: {
    kind: 'conflict',
    meaning:
      'Only the service writes and deletes relations with this predicate: in a revision, a derivation or a contest.',
  },
  already_retracted: { kind: 'conflict', meaning: 'The record was retracted already.' },
  not_revisable: {
    kind: 'conflict',
    meaning: 'A working record cannot be revised; change it with PATCH.',
  },
  type_mismatch: { kind: 'conflict', meaning: 'This operation does not support the type of the record.' },
  no_vectors: {
    kind: 'conflict',
    meaning: 'There are no vectors to search: the server stores none, or has not embedded any text yet.',
  },
  no_drift_roots: {
    kind: 'conflict',
    meaning: 'The server was started without MEMBRANE_DRIFT_ROOTS, so there is no directory to check.',
  },
  not_undoable: { kind: 'conflict', meaning: 'This run or revision cannot be undone; `detail` says why.' },
  digest_mismatch: {
    kind: 'conflict',
    meaning: 'The digest is not the one of this plan; read the plan again.',
  },
  plan_expired: { kind: 'conflict', meaning: 'The plan is too old to be applied; create a new one.' },
  plan_not_ready: {
    kind: 'conflict',
    meaning: 'The dry run of the plan has not ended, or it failed.',
  },
  run_finished: { kind: 'conflict', meaning: 'The maintenance run has ended already.' },
  request_in_progress: {
    kind: 'conflict',
    meaning: 'A request with this Idempotency-Key is still running; repeat it after Retry-After.',
  },
  record_pinned: { kind: 'conflict', meaning: 'The record is pinned; unpin it first, or use `force`.' },
  deletion_policy_never: {
    kind: 'conflict',
    meaning: 'The deletion policy of the record, or of a record that would be deleted with it, is `never`.',
  },
  record_not_forgotten: { kind: 'conflict', meaning: 'Only a forgotten record can be restored.' },
  message_conflict: {
    kind: 'conflict',
    meaning: 'A message with this id has another text, calls or writer, or is where this one would move.',
  },
  erased_content: {
    kind: 'conflict',
    meaning: 'The same content was erased from this scope and cannot be stored again.',
  },
  record_purged: {
    kind: 'gone',
    meaning: 'The record was forgotten and can no longer be restored; its audit log remains.',
  },
  record_erased: {
    kind: 'gone',
    meaning: 'The record was erased; only the time and the actor of the erase are kept.',
  },
  record_forgotten: { kind: 'gone', meaning: 'The record was forgotten; `reason` says why.' },
  request_timeout: { kind: 'timeout', meaning: 'The request took too long to arrive.' },
  version_mismatch: {
    kind: 'precondition',
    meaning: 'The record does not have the version in If-Match.',
  },
  body_too_large: {
    kind: 'too_large',
    meaning: 'The body is larger than 10 MiB, or a line of an import larger than 16 MiB.',
  },
  merge_too_large: { kind: 'too_large', meaning: 'The records to merge are too long together.' },
  unsupported_media_type: {
    kind: 'media_type',
    meaning:
      'The operation does not accept this kind of body; nearly all accept only JSON without Content-Encoding.',
  },
  validation_failed: {
    kind: 'invalid',
    meaning: 'The request does not match the schema; `errors` lists every place.',
  },
  number_too_large: {
    kind: 'invalid',
    meaning:
      'A number in the body cannot be stored exactly, because JSON readers keep 53 bits of an integer; send it as a string.',
  },
  scope_required: {
    kind: 'invalid',
    meaning: 'The key has several scopes, so the request must name one: `scope` in the body or in the query.',
  },
  evidence_required: {
    kind: 'invalid',
    meaning: 'A fact that a revision creates needs evidence or a source of its own.',
  },
  sensitivity_lowered: {
    kind: 'invalid',
    meaning: 'A revision or merge that lowers a sensitivity needs the permission admin.',
  },
  budget_too_small: {
    kind: 'invalid',
    meaning: 'The records that no budget may forget already exceed this budget.',
  },
  scope_mismatch: { kind: 'invalid', meaning: 'Records that are revised together must have one scope.' },
  idempotency_key_reused: {
    kind: 'invalid',
    meaning: 'The Idempotency-Key was used before with another request.',
  },
  invalid_idempotency_key: {
    kind: 'invalid',
    meaning: 'An Idempotency-Key is 1 to 255 visible ASCII characters.',
  },
  headers_too_large: {
    kind: 'headers_too_large',
    meaning: 'The request line and headers are larger than 16 KiB.',
  },
  if_match_required: {
    kind: 'precondition_required',
    meaning: 'This server requires If-Match with the version of the record to change.',
  },
  rate_limited: { kind: 'throttled', meaning: 'Too many requests for this key; wait for Retry-After.' },
  model_unavailable: { kind: 'unavailable', meaning: 'The embedding model is unavailable at present.' },
  overloaded: { kind: 'unavailable', meaning: 'The server sheds load; wait for Retry-After.' },
  database_unavailable: { kind: 'unavailable', meaning: 'The database is unavailable at present.' },
  tenant_key_missing: {
    kind: 'unavailable',
    meaning:
      'A tenant on a server of its own needs MEMBRANE_TENANT_KEY, and the server was started without it.',
  },
  tombstone_key_missing: {
    kind: 'unavailable',
    meaning: 'Erasing needs MEMBRANE_TOMBSTONE_KEY, and the server was started without it.',
  },
  tombstone_key_mismatch: {
    kind: 'unavailable',
    meaning:
      'Records were erased with a tombstone key, and the server was started with another or without one. No content can be stored until MEMBRANE_TOMBSTONE_KEY is that key.',
  },
  shutting_down: {
    kind: 'unavailable',
    meaning: 'This process is stopping; repeat the request, so that another process serves it.',
  },
  not_ready: { kind: 'unavailable', meaning: 'A part is not ready; `parts` lists all parts.' },
  internal_error: {
    kind: 'defect',
    meaning: 'The server failed; search its log for `request_id`.',
  },
} as const satisfies Record<string, { kind: ErrorKind; meaning: string }>

export type ErrorCode = keyof typeof catalogue
