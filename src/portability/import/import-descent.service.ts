import type { Transaction } from '../../db/transaction.ts'
import { type Caller, isAllowed } from '../../domain/caller.ts'
import { refuseReserved } from '../../domain/reserved-edges.ts'
import { type Descent, type Draft, inferDescents, resolveNamedSources } from '../../records/index.ts'
import type { ImportedCopy } from './imported-draft.ts'

/** A line of a version that did not record descent is read as a store of that version is. */
export function listDescents({ draft: { row, edges, namedSources }, given }: ImportedCopy): Descent[] {
  const told = given.descent ?? inferDescents(edges, namedSources)
  return told.flatMap((each) => (each.source_id === row.id ? [] : [{ ...each, derived_id: row.id }]))
}

/**
 * Only an admin, who may write what the service keeps itself, brings edges that a revision or a derivation made. A
 * record with a past brings its descent; any other rests on what it names, as one that is created does.
 */
export async function resolveDescent(
  tx: Transaction,
  caller: Caller,
  drafts: readonly Draft[],
  copies: readonly ImportedCopy[],
) {
  const isAdmin = isAllowed(caller, 'admin')
  const free = drafts.map((draft) => (isAdmin ? undefined : refuseReserved(draft.edges)) ?? draft)
  const settled = await resolveNamedSources(tx, caller, free)
  return settled.map((each, index) => (copies[index]?.hasHistory ? (free[index] ?? each) : each))
}
