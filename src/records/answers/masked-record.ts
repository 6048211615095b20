import type { Payload } from '../../domain/payloads/payloads.ts'
import { maskPayload } from '../../domain/secrets/masked-payload.ts'

/** The same record with the secrets of its payload masked, if that is asked for. A redacted record has no payload. */
export function maskRecord<Shown extends object>(record: Shown, isAsked = true): Shown {
  return isAsked && hasPayload(record) ? { ...record, payload: maskPayload(record.payload) } : record
}

function hasPayload(record: object): record is { payload: Payload } {
  return 'payload' in record
}
