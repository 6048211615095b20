import type { Payload } from '../../domain/payloads/payloads.ts'
import { maskPayload } from '../../domain/secrets/masked-payload.ts'
import { createNameMask, maskSecrets, maskText } from '../../domain/secrets/masking.ts'
import type { AuditEntry } from '../audit-log/audit-log.schemas.ts'
import type { Relation } from '../provenance.schemas.ts'
import type { MemoryRecord } from '../records.schemas.ts'

/** What has contents. The interpretation names the entities of the payload again, and a source may be an address with a password. */
const masked = ['payload', 'tags', 'interpretation', 'provenance']

/** The same record with its secrets masked. A redacted record has no contents. */
export function maskRecord<Shown extends object>(record: Shown): Shown {
  const { audit_log: log, relations, forgotten }: Partial<MemoryRecord> = record
  const fields = Object.entries(record).filter(([name]) => masked.includes(name))
  return {
    ...record,
    ...Object.fromEntries(fields.map(([name, value]) => [name, maskField(name, value)])),
    ...(log ? { audit_log: log.map(maskAuditEntry) } : {}),
    ...(relations ? { relations: relations.map(maskRelation) } : {}),
    ...(forgotten ? { forgotten: { ...forgotten, actor: maskText(forgotten.actor) } } : {}),
  }
}

function maskRelation(relation: Relation): Relation {
  return { ...relation, predicate: maskText(relation.predicate) }
}

/** The same page with the secrets of all its records masked. */
export function maskRecords<Page extends { items: object[] }>(page: Page): Page {
  return { ...page, items: page.items.map((record) => maskRecord(record)) }
}

/** The same entry with the secrets in it masked. */
export function maskAuditEntry(entry: AuditEntry): AuditEntry {
  const { actor, rationale, changes } = entry
  const maskName = createNameMask()
  const sides = Object.entries(changes ?? {}).map(([name, both]) => [
    maskName(name),
    both.map((side) => maskField(name, side)),
  ])
  return {
    ...entry,
    actor: maskText(actor),
    rationale: maskText(rationale),
    ...(changes ? { changes: Object.fromEntries(sides) } : {}),
  }
}

/** The name of a field can say that its value is a secret. The name of a relation is its predicate, and its value a weight. */
function maskField(name: string, value: unknown): unknown {
  if (isPayload(name, value)) return maskPayload(value)
  if (/^(?:incoming_)?relations\./.test(name)) return value
  return Object.values(maskSecrets({ [name]: value }) as object)[0]
}

function isPayload(name: string, value: unknown): value is Payload {
  return name === 'payload' && typeof value === 'object' && value !== null && 'kind' in value
}
