import type { Payload } from '../../domain/payloads/payloads.ts'
import { maskPayload } from '../../domain/secrets/masked-payload.ts'
import { maskSecrets, maskText } from '../../domain/secrets/masking.ts'
import type { AuditEntry } from '../audit-log/audit-log.schemas.ts'

/** What has contents. The interpretation names the entities of the payload again, and a source may be an address with a password. */
const masked = ['payload', 'tags', 'interpretation', 'provenance']

/** The same record with its secrets masked. A redacted record has no contents. */
export function maskRecord<Shown extends object>(record: Shown): Shown {
  const { audit_log: log }: { audit_log?: AuditEntry[] } = record
  const fields = Object.entries(record).filter(([name]) => masked.includes(name))
  return {
    ...record,
    ...Object.fromEntries(fields.map(([name, value]) => [name, maskField(name, value)])),
    ...(log ? { audit_log: log.map(maskAuditEntry) } : {}),
  }
}

/** The same page with the secrets of all its records masked. */
export function maskRecords<Page extends { items: object[] }>(page: Page): Page {
  return { ...page, items: page.items.map((record) => maskRecord(record)) }
}

/** The same entry with the secrets in its reason and its changes masked. */
export function maskAuditEntry(entry: AuditEntry): AuditEntry {
  const { rationale, changes } = entry
  const sides = Object.entries(changes ?? {}).map(([name, both]) => [
    name,
    both.map((side) => maskField(name, side)),
  ])
  return {
    ...entry,
    rationale: maskText(rationale),
    ...(changes ? { changes: Object.fromEntries(sides) } : {}),
  }
}

/** The name of a field can say that its value is a secret. */
function maskField(name: string, value: unknown): unknown {
  if (isPayload(name, value)) return maskPayload(value)
  // Each by itself: of a pair such as `auth` and `billing` the first would name the second.
  if (name === 'tags' && Array.isArray(value)) return value.map(maskSecrets)
  return Object.values(maskSecrets({ [name]: value }) as object)[0]
}

function isPayload(name: string, value: unknown): value is Payload {
  return name === 'payload' && typeof value === 'object' && value !== null && 'kind' in value
}
