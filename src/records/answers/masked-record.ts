import type { Payload } from '../../domain/payloads/payloads.ts'
import { maskPayload } from '../../domain/secrets/masked-payload.ts'
import { maskSecrets, maskText } from '../../domain/secrets/masking.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'

/** The same record with its secrets masked. A redacted record has no payload. */
export function maskRecord<Shown extends object>(record: Shown): Shown {
  return hasPayload(record)
    ? { ...record, ...maskRepeated(record), payload: maskPayload(record.payload) }
    : record
}

type Repeated = { payload: Payload; tags?: readonly string[]; interpretation?: unknown; provenance?: unknown }

/** What says again what the payload says: the interpretation names its entities, and a source may be an address with a password. */
function maskRepeated({ tags, interpretation, provenance }: Repeated): object {
  return omitNulls({
    // Each by itself: of a pair such as `auth` and `billing` the first would name the second.
    tags: tags?.map(maskText),
    interpretation: maskSecrets(interpretation),
    provenance: maskSecrets(provenance),
  })
}

/** The same page with the secrets of all its records masked. */
export function maskRecords<Page extends { items: object[] }>(page: Page): Page {
  return { ...page, items: page.items.map((record) => maskRecord(record)) }
}

function hasPayload(record: object): record is Repeated {
  return 'payload' in record
}
