import Type from 'typebox'
import type { Database } from '../../db/connection.ts'
import { type ListPage, RowNumber } from '../../domain/schemas/shapes.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { readPage } from '../../http/paging/paging.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { findRecordOrDeparture, presentVia } from '../../records/index.ts'
import { listImportanceMoves, listStatusChanges } from './history.queries.ts'
import type { HistoryQuery, ImportanceMove, StatusChange } from './history.schemas.ts'

export type HistoryService = ReturnType<typeof createHistoryService>

const HistoryCursor = Type.Object({ id: RowNumber() })

type History<Row> = {
  name: 'importanceHistory' | 'statusHistory'
  list: (selection: { id: string; after: number; limit: number }) => Promise<Row[]>
}

/** A history outlives its record, like the audit log. It stays hidden from a key that sees the record redacted. */
export function createHistoryService({ db }: { db: Database }) {
  async function readImportance(
    caller: Caller,
    id: string,
    query: HistoryQuery,
  ): Promise<ListPage<ImportanceMove>> {
    const { items, ...page } = await readHistory(caller, id, query, {
      name: 'importanceHistory',
      list: (selection) => listImportanceMoves(db, selection),
    })
    return {
      ...page,
      items: items.map(({ id: _, at, ...rest }) => omitNulls({ ...rest, changed_at: at.toISOString() })),
    }
  }

  async function readStatus(
    caller: Caller,
    id: string,
    query: HistoryQuery,
  ): Promise<ListPage<StatusChange>> {
    const { items, ...page } = await readHistory(caller, id, query, {
      name: 'statusHistory',
      list: (selection) => listStatusChanges(db, { ...selection, trust: caller.trust }),
    })
    return {
      ...page,
      items: items.map(({ id: _, run_id: _run, at, via, ...rest }) => ({
        ...rest,
        changed_at: at.toISOString(),
        ...presentVia(via),
      })),
    }
  }

  async function readHistory<Row extends { id: number }>(
    caller: Caller,
    id: string,
    { limit = 100, cursor }: HistoryQuery,
    { name, list }: History<Row>,
  ): Promise<ListPage<Row>> {
    const known = await findRecordOrDeparture(db, caller, id)
    return readPage({
      caller,
      list: { [name]: known.id },
      limit,
      cursor,
      position: HistoryCursor,
      sealedBy: db,
      read: (after, most) => list({ id: known.id, after: after?.id ?? 0, limit: most }),
    })
  }

  return { readImportance, readStatus }
}
