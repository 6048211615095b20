import { type AppError, catalogue, describeFaults, type ErrorCode, type ErrorKind } from '../kernel/errors.ts'

/** An error as an agent reads it: what went wrong, why, and what to do next. */

const remedies: Readonly<Partial<Record<ErrorCode, string>>> = {
  record_forgotten: 'Restore it with the tool restore (profile lifecycle) or POST /v1/records/{id}/restore.',
  validation_failed: 'Correct the arguments at the places that `what` names and call again.',
  outside_trust: 'Leave out `scope` and `sensitivity`, or use those that the key has.',
  above_ceiling: 'Leave this record alone, or ask an operator for a key with a higher ceiling.',
  scope_required: 'Name one of the scopes of the key in `scope`.',
  record_not_found: 'Search again with recall; ids of other keys are not visible.',
  episodic_immutable: 'Remember the correction as a new text; what happened is not rewritten.',
  already_superseded: 'Revise the successor instead; get shows it as superseded_by.',
  already_retracted: 'It stays retracted. Remember what is true instead as a new text.',
  record_not_forgotten: 'Nothing is left to do; the record is there.',
  request_in_progress: 'Wait a moment and send the same call again.',
  record_retracted:
    'Use the record that `superseded_by` names. Without one, remember what is true as a new text.',
  erased_content: 'Do not store this content; it was erased on request.',
  record_pinned: 'Unpin it first.',
  type_mismatch: 'Use another tool, or remember a new text.',
  version_mismatch: 'Read the record again with get, and repeat the call.',
  not_revisable:
    'Remember a working record with the same thread_id and the new state; recall shows the newest.',
  record_exists: 'Leave out the id: each record gets a new one.',
  run_not_found: 'Give the id of a run that the tool run has answered.',
  no_further_layer: 'Name the layer, or leave the record where it is.',
}

const remediesOfKind: Readonly<Partial<Record<ErrorKind, string>>> = {
  unauthenticated: 'Send a valid key.',
  forbidden: 'Ask an operator for a key with this permission.',
  gone: 'It cannot be brought back.',
  throttled: 'Wait a second and call again.',
  unavailable: 'Wait a moment and call again.',
  defect: 'Report the request_id to the operator.',
}

/** Where the meaning of the catalogue names a part of HTTP that a tool does not have. */
const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  validation_failed: 'The arguments do not match the input schema of the tool.',
  scope_required: 'The key has several scopes, so the call must name one.',
  record_pinned: 'The record is pinned.',
  not_revisable: 'A working record is no fact.',
}

/** A model takes the short reference of a line in a context for an id. */
const isIdFault = (place: string) => place.endsWith('must be a UUID')
const giveWholeId =
  'Give the whole id: those of recall follow its text (`record_id` in items), recent has `id`.'

export function explainError(error: AppError, requestId: string) {
  const { code, kind, message, errors = [], extra } = error
  const places = describeFaults(errors)
  // The members of the problem, such as `superseded_by`, which `why` names.
  const members = Object.entries(extra).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const details = [...places, ...members]
  const ids = places.filter(isIdFault)
  const remedy = remedies[code] ?? remediesOfKind[kind] ?? 'Change the arguments and call again.'
  const hasOtherFaults = ids.length === 0 || ids.length < places.length
  const whatToDo = [...(hasOtherFaults ? [remedy] : []), ...(ids.length > 0 ? [giveWholeId] : [])]
  return {
    code,
    what: details.length === 0 ? message : `${message} ${details.join('; ')}.`,
    why: reasons[code] ?? catalogue[code].meaning,
    what_to_do: whatToDo.join(' '),
    request_id: requestId,
  }
}
