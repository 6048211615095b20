import type { Database } from '../../db/connection.ts'
import type { ListPage } from '../../domain/schemas/shapes.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { readPage } from '../../http/paging/paging.ts'
import { presentAuditEntry } from '../answers/record-answer.ts'
import { findRecordOrDeparture } from '../reading/record-loading.service.ts'
import { listAuditEntries } from './audit-log.queries.ts'
import { AuditCursor, type AuditEntry, type AuditQuery } from './audit-log.schemas.ts'

/** Also reads the log of a deleted record. Not of a redacted one: rationales are content. */
export async function readAuditLog(
  db: Database,
  caller: Caller,
  id: string,
  { limit = 100, cursor }: AuditQuery,
): Promise<ListPage<AuditEntry>> {
  const known = await findRecordOrDeparture(db, caller, id)
  const { items, ...next } = await readPage({
    caller,
    list: { audit: known.id },
    limit,
    cursor,
    position: AuditCursor,
    sealedBy: db,
    read: (after, most) =>
      listAuditEntries(db, { id: known.id, trust: caller.trust, after: after?.id ?? 0, limit: most }),
  })
  return { items: items.map(presentAuditEntry), ...next }
}
