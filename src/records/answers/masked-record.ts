import type { Payload } from '../../domain/payloads/payloads.ts'
import { maskPayload } from '../../domain/secrets/masked-payload.ts'

/** The same record with the secrets of its payload masked. A redacted record has no payload. */
export function maskRecord<Shown extends object>(record: Shown): Shown {
  return hasPayload(record) ? { ...record, payload: maskPayload(record.payload) } : record
}

/** The same page with the secrets of all its records masked. */
export function maskRecords<Page extends { items: object[] }>(page: Page): Page {
  return { ...page, items: page.items.map((record) => maskRecord(record)) }
}

function hasPayload(record: object): record is { payload: Payload } {
  return 'payload' in record
}
