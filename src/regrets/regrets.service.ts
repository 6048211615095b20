import type { Database } from '../db/connection.ts'
import type { ListPage } from '../domain/schemas/shapes.ts'
import { type Caller, presentScope } from '../domain/trust/caller.ts'
import { readPage } from '../http/paging/paging.ts'
import type { Clock } from '../kernel/clock.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import { findRemovalRule } from '../lifecycle/index.ts'
import { listRegrets, type RegretRow } from './regrets.queries.ts'
import { type Regret, RegretCursor, type RegretsQuery } from './regrets.schemas.ts'

export type RegretsService = ReturnType<typeof createRegretsService>

export function createRegretsService({ db, clock }: { db: Database; clock: Clock }) {
  async function list(caller: Caller, query: RegretsQuery): Promise<ListPage<Regret>> {
    const { limit = 50, cursor, ...filters } = query
    const { items, ...next } = await readPage({
      caller,
      list: { regrets: filters },
      limit,
      cursor,
      position: RegretCursor,
      read: (after, most) =>
        listRegrets(db, { filters, trust: caller.trust, now: clock.now(), after, limit: most }),
    })
    return { items: items.map(present), ...next }
  }

  return { list }
}

function present(row: RegretRow): Regret {
  return omitNulls({
    record_id: row.record_id,
    type: row.type,
    reason: row.reason,
    ...presentScope(row.scope),
    rule: findRemovalRule(row, row.reason, row.since),
    run_id: row.run_id,
    forgotten_at: row.since.toISOString(),
    regretted_at: row.last_at.toISOString(),
    times: row.times,
  })
}
