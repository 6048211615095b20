import type { Database } from '../db/connection.ts'
import { isOpenTo } from '../db/visibility.ts'
import type { Caller } from '../domain/caller.ts'
import { AppError } from '../kernel/errors.ts'
import { resolveDescents } from './descents.ts'
import { findVisibleTargets } from './record-creation.queries.ts'
import type { Draft } from './stored-record.ts'

/** With what it rests on, by the act that made it and by its own word. `seen` are records that the caller sees whole. */
export function resolveDraftDescents(draft: Draft, seen: ReadonlySet<string>): Draft {
  return { ...draft, descents: resolveDescents(draft.row.id, draft.descents, draft.namedSources, seen) }
}

/** The same for drafts whose edges are written later: one query for all of them, and none where nothing is named. */
export async function resolveNamedSources(
  db: Database,
  caller: Caller,
  drafts: readonly (Draft | AppError)[],
) {
  const ids = new Set(drafts.flatMap((each) => (each instanceof AppError ? [] : each.namedSources.ids)))
  const found = ids.size === 0 ? [] : await findVisibleTargets(db, [...ids], caller.trust)
  const seen = new Set(
    found.filter(({ sensitivity }) => isOpenTo(caller.trust, sensitivity)).map(({ id }) => id),
  )
  return drafts.map((each) => (each instanceof AppError ? each : resolveDraftDescents(each, seen)))
}
