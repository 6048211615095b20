import Type from 'typebox'
import type { Database } from '../db/connection.ts'
import type { CallContext } from '../db/transaction.ts'
import { type ListPage, RowNumber } from '../domain/shapes.ts'
import { decodeCursor, encodeCursor, fingerprintQuery } from '../http/paging.ts'
import { findRecordOrDeleted } from '../records/index.ts'
import { listImportanceMoves } from './importance-history.queries.ts'
import type { ImportanceHistoryQuery, ImportanceMove } from './importance-history.schemas.ts'

export type HistoryService = ReturnType<typeof createHistoryService>

const MoveCursor = Type.Object({ id: RowNumber() })

export function createHistoryService({ db }: { db: Database }) {
  /**
   * The history outlives its record, like the audit log. It stays hidden from a key that sees the record redacted.
   */
  async function readImportance(
    call: CallContext,
    id: string,
    { limit = 100, cursor }: ImportanceHistoryQuery,
  ): Promise<ListPage<ImportanceMove>> {
    const conn = call.tx ?? db
    const known = await findRecordOrDeleted(conn, call.caller, id)
    const fingerprint = fingerprintQuery(call.caller.principal, { importanceHistory: known.id })
    const after = cursor === undefined ? 0 : decodeCursor(cursor, MoveCursor, fingerprint).id
    const found = await listImportanceMoves(conn, known.id, after, limit + 1)
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return {
      items: items.map(({ id: _, at, run_id: runId, ...rest }) => ({
        ...{ ...rest, changed_at: at.toISOString() },
        ...(runId === null ? {} : { run_id: runId }),
      })),
      ...(last && found.length > limit ? { next_cursor: encodeCursor(fingerprint, { id: last.id }) } : {}),
    }
  }

  return { readImportance }
}
