import type { Transaction } from '../../../db/transaction.ts'
import { findReservedError } from '../../../domain/edges/reserved-edges.ts'
import { type Caller, isAllowed } from '../../../domain/trust/caller.ts'
import {
  type Descent,
  type Draft,
  findDescentEdge,
  inferDescents,
  resolveNamedSources,
} from '../../../records/index.ts'
import { type ImportedCopy, isForeign } from '../drafting/imported-draft.ts'

/**
 * The descent of a copy. It is inferred for a line of a version that did not record descent. A descent without the edge
 * that its operation would have made is kept as `inherited`, so that an erase still follows it.
 */
export function listDescents({ draft, given }: ImportedCopy): Descent[] {
  const { row, edges, namedSources } = draft
  const known = given.descent ?? inferDescents(edges, namedSources)
  const sources = [...known, ...listOrigins({ draft, given }, new Set(known.map((each) => each.source_id)))]
  const linked = new Set(edges.map(({ predicate, target_id: target }) => `${predicate} ${target}`))
  return sources.flatMap(({ source_id: source, kind, is_ground }) => {
    if (source === row.id) return []
    const predicate = row.type === 'entity' && kind === 'capture' ? undefined : findDescentEdge(kind)
    const isLinked = predicate === undefined || linked.has(`${predicate} ${source}`)
    return [
      { derived_id: row.id, source_id: source, kind: isLinked ? kind : ('inherited' as const), is_ground },
    ]
  })
}

/** The sources of a derived record beyond the known ones, as its edges of that moment show. */
function listOrigins(
  { draft: { row, edges, namedSources }, given }: Pick<ImportedCopy, 'draft' | 'given'>,
  known: ReadonlySet<string>,
) {
  const isDerived = (given.audit_log ?? []).some(
    ({ action, rationale, run_id: run }) =>
      action === 'create' && (run !== undefined || rationale === 'captured'),
  )
  if (!isDerived) return []
  return edges.flatMap(({ predicate, target_id: source, created_at: at }) =>
    predicate === 'derived_from' && at.getTime() === row.created_at.getTime() && !known.has(source)
      ? [{ source_id: source, kind: 'inherited' as const, is_ground: !namedSources.hasOtherEvidence }]
      : [],
  )
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
  const mayName = (copy: ImportedCopy | undefined) => isAdmin || (copy !== undefined && isForeign(copy))
  const free = drafts.map(
    (draft, index) => (mayName(copies[index]) ? undefined : findReservedError(draft.edges)) ?? draft,
  )
  const resolved = await resolveNamedSources(tx, caller, free)
  return resolved.map((each, index) => (copies[index]?.hasHistory ? (free[index] ?? each) : each))
}
