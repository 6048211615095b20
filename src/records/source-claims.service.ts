import type { Database } from '../db/connection.ts'
import { isOpenTo } from '../db/visibility.ts'
import type { Caller } from '../domain/caller.ts'
import { AppError } from '../kernel/errors.ts'
import { settleDescents } from './descent.ts'
import { findTargets } from './record-creation.queries.ts'
import type { Draft } from './stored-record.ts'

/** With what it rests on, by the act that made it and by its own word. `seen` are records that the caller sees whole. */
export function withDescents(draft: Draft, seen: ReadonlySet<string>): Draft {
  return { ...draft, descents: settleDescents(draft.row.id, draft.descents, draft.claim, seen) }
}

/** The same for drafts whose edges are written later: one query for all of them, and none where nothing is named. */
export async function settleClaims(db: Database, caller: Caller, drafts: readonly (Draft | AppError)[]) {
  const ids = new Set(drafts.flatMap((each) => (each instanceof AppError ? [] : each.claim.ids)))
  const found = ids.size === 0 ? [] : await findTargets(db, [...ids], caller.trust)
  const seen = new Set(
    found.filter(({ sensitivity }) => isOpenTo(caller.trust, sensitivity)).map(({ id }) => id),
  )
  return drafts.map((each) => (each instanceof AppError ? each : withDescents(each, seen)))
}
