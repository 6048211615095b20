import type { Transaction } from '../../db/transaction.ts'
import { type Caller, isAllowed } from '../../domain/caller.ts'
import { refuseReserved } from '../../domain/reserved-edges.ts'
import { type Descent, type Draft, inferDescents, resolveNamedSources } from '../../records/index.ts'
import type { ImportedCopy } from './imported-draft.ts'

/** The descent of a copy. It is inferred for a line of a version that did not record descent. */
export function listDescents({ draft: { row, edges, namedSources }, given }: ImportedCopy): Descent[] {
  const sources = given.descent ?? inferDescents(edges, namedSources)
  return sources.flatMap((each) => (each.source_id === row.id ? [] : [{ ...each, derived_id: row.id }]))
}

/**
 * Only an admin may import edges that a revision or a derivation made. A record with a history brings its own
 * descent; any other record rests on what it names, as after a create.
 */
export async function resolveDescent(
  tx: Transaction,
  caller: Caller,
  drafts: readonly Draft[],
  copies: readonly ImportedCopy[],
) {
  const isAdmin = isAllowed(caller, 'admin')
  const free = drafts.map((draft) => (isAdmin ? undefined : refuseReserved(draft.edges)) ?? draft)
  const resolved = await resolveNamedSources(tx, caller, free)
  return resolved.map((each, index) => (copies[index]?.hasHistory ? (free[index] ?? each) : each))
}
