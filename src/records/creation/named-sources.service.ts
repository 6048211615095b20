import type { Database } from '../../db/connection.ts'
import { type Caller, isOpenTo } from '../../domain/trust/caller.ts'
import { mapOutcomes } from '../../kernel/errors.ts'
import { resolveDescents } from '../descent/descents.ts'
import { type DraftOutcome, isDraft } from './draft-outcome.ts'
import { findVisibleTargets } from './record-creation.queries.ts'

type Target = Awaited<ReturnType<typeof findVisibleTargets>>[number]

/** Adds the resolved descents to drafts. `found` are the named records that the caller sees. */
export function resolveDraftDescents(
  drafts: readonly DraftOutcome[],
  { trust }: Caller,
  found: readonly Target[],
): DraftOutcome[] {
  const readable = new Set(found.flatMap(({ id, sensitivity }) => (isOpenTo(trust, sensitivity) ? id : [])))
  return mapOutcomes(drafts, (each) => ({
    ...each,
    descents: resolveDescents(each.row.id, each.descents, each.namedSources, readable),
  }))
}

/** Does the same for drafts whose edges are written later, with one query, or none if no body names a record. */
export async function resolveNamedSources(db: Database, caller: Caller, drafts: readonly DraftOutcome[]) {
  const ids = new Set(drafts.filter(isDraft).flatMap(({ namedSources }) => namedSources.ids))
  const found = ids.size === 0 ? [] : await findVisibleTargets(db, [...ids], caller.trust)
  return resolveDraftDescents(drafts, caller, found)
}
