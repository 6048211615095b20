import type { Payload } from '../../domain/payloads/payloads.ts'
import { maskPayload } from '../../domain/secrets/masked-payload.ts'
import { maskSecrets } from '../../domain/secrets/masking.ts'

/** What says again what the payload says: the interpretation names its entities, and a source may be an address with a password. */
const repeating = ['tags', 'interpretation', 'provenance'] as const

/** The same record with its secrets masked. A redacted record has no payload. */
export function maskRecord<Shown extends object>(record: Shown): Shown {
  if (!hasPayload(record)) return record
  const others = repeating.flatMap((name) => {
    const value: unknown = Reflect.get(record, name)
    return value === undefined ? [] : [[name, maskSecrets(value)]]
  })
  return { ...record, ...Object.fromEntries(others), payload: maskPayload(record.payload) }
}

/** The same page with the secrets of all its records masked. */
export function maskRecords<Page extends { items: object[] }>(page: Page): Page {
  return { ...page, items: page.items.map((record) => maskRecord(record)) }
}

function hasPayload(record: object): record is { payload: Payload } {
  return 'payload' in record
}
