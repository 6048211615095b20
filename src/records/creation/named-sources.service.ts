import type { Database } from '../../db/connection.ts'
import { isOpenTo } from '../../db/fragments/visibility.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { AppError } from '../../kernel/errors.ts'
import { resolveDescents } from '../descent/descents.ts'
import type { Draft } from '../stored-record.ts'
import { findVisibleTargets } from './record-creation.queries.ts'

/** Adds the resolved descents to a draft. `readable` holds the named records that the caller reads in full. */
export function resolveDraftDescents(draft: Draft, readable: ReadonlySet<string>): Draft {
  return { ...draft, descents: resolveDescents(draft.row.id, draft.descents, draft.namedSources, readable) }
}

/** Does the same for drafts whose edges are written later, with one query, or none if no body names a record. */
export async function resolveNamedSources(
  db: Database,
  caller: Caller,
  drafts: readonly (Draft | AppError)[],
) {
  const ids = new Set(drafts.flatMap((each) => (each instanceof AppError ? [] : each.namedSources.ids)))
  const found = ids.size === 0 ? [] : await findVisibleTargets(db, [...ids], caller.trust)
  const readable = new Set(
    found.filter(({ sensitivity }) => isOpenTo(caller.trust, sensitivity)).map(({ id }) => id),
  )
  return drafts.map((each) => (each instanceof AppError ? each : resolveDraftDescents(each, readable)))
}
