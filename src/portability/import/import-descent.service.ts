import type { Transaction } from '../../db/transaction.ts'
import { type Caller, isAllowed } from '../../domain/caller.ts'
import { refuseReserved } from '../../domain/reserved-edges.ts'
import {
  type Descent,
  type Draft,
  edgeOfDescent,
  inferDescents,
  resolveNamedSources,
} from '../../records/index.ts'
import type { ImportedCopy } from './imported-draft.ts'

/**
 * The descent of a copy. It is inferred for a line of a version that did not record descent. A descent without the edge
 * that its operation would have made is kept as `inherited`, so that an erase still follows it.
 */
export function listDescents({ draft: { row, edges, namedSources }, given }: ImportedCopy): Descent[] {
  const sources = given.descent ?? inferDescents(edges, namedSources)
  const linked = new Set(edges.map(({ predicate, target_id: target }) => `${predicate} ${target}`))
  return sources.flatMap(({ source_id: source, kind, is_ground }) => {
    if (source === row.id) return []
    const predicate = row.type === 'entity' && kind === 'capture' ? undefined : edgeOfDescent(kind)
    const isLinked = predicate === undefined || linked.has(`${predicate} ${source}`)
    return [
      { derived_id: row.id, source_id: source, kind: isLinked ? kind : ('inherited' as const), is_ground },
    ]
  })
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
