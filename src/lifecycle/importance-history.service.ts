import Type from 'typebox'
import type { Database } from '../db/connection.ts'
import type { Caller } from '../domain/caller.ts'
import { type ListPage, RowNumber } from '../domain/shapes.ts'
import { readPage } from '../http/paging.ts'
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
    caller: Caller,
    id: string,
    { limit = 100, cursor }: ImportanceHistoryQuery,
  ): Promise<ListPage<ImportanceMove>> {
    const known = await findRecordOrDeleted(db, caller, id)
    const { items, ...next } = await readPage({
      ...{ caller, list: { importanceHistory: known.id }, limit, cursor, position: MoveCursor },
      read: (after, most) => listImportanceMoves(db, known.id, after?.id ?? 0, most),
    })
    return {
      items: items.map(({ id: _, at, run_id: runId, ...rest }) => ({
        ...{ ...rest, changed_at: at.toISOString() },
        ...(runId === null ? {} : { run_id: runId }),
      })),
      ...next,
    }
  }

  return { readImportance }
}
