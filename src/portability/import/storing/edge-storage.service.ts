import type { Transaction } from '../../../db/transaction.ts'
import { findInverse, isInverse } from '../../../domain/edges/edges.ts'
import { isAllowed } from '../../../domain/trust/caller.ts'
import type { Draft } from '../../../records/index.ts'
import { type ImportedCopy, isForeign } from '../drafting/imported-draft.ts'
import { findMissingEdges, type ImportContext, type LooseEdge, linkEdges } from './import-edges.queries.ts'
import { createRecordExistsError, type LineOutcomes } from './record-differences.ts'

type LinkedLines = { fresh: readonly ImportedCopy[]; outcomes: LineOutcomes }

/**
 * Stores the edges of new records. For unchanged records, an admin's import adds missing edges, because the import
 * before may have been cut off. It adds no inverse edges, because an edge that was removed since would come back.
 */
export async function storeEdges(
  tx: Transaction,
  { fresh, outcomes }: LinkedLines,
  context: ImportContext,
): Promise<LooseEdge[]> {
  const unchanged = [...outcomes].flatMap(([copy, outcome]) => (outcome === 'unchanged' ? [copy] : []))
  const { again, loose } =
    isAllowed(context.caller, 'admin') && !unchanged.some(isForeign)
      ? { again: unchanged.flatMap(listEdges).filter(({ predicate }) => !isInverse(predicate)), loose: [] }
      : await classifyMissingEdges(tx, unchanged, outcomes, context)
  const arrived = fresh.map(({ draft }) => draft.row.id)
  const edges = [...fresh.flatMap(listEdges), ...again]
  if (edges.length > 0 || arrived.length > 0) await linkEdges(tx, edges, arrived, context)
  return loose
}

function listEdges({ draft, hasHistory }: ImportedCopy) {
  return draft.edges.map((edge) => ({
    ...edge,
    inverse: findInverse(edge.predicate) ?? null,
    is_whole: hasHistory,
  }))
}

/**
 * For unchanged records of other callers: a missing edge that another import holds is on its way, and this import
 * takes it over in case the other ends early. An edge without a target is loose. Any other missing edge is a
 * difference.
 */
async function classifyMissingEdges(
  tx: Transaction,
  unchanged: readonly ImportedCopy[],
  outcomes: LineOutcomes,
  context: ImportContext,
) {
  const given = unchanged.flatMap(({ draft }) => draft.edges)
  const missing = given.length === 0 ? [] : await findMissingEdges(tx, given, context)
  const causes = new Map(missing.map(({ cause, ...edge }) => [formatEdge(edge), cause]))
  // An edge of a foreign item that is absent was removed here, or its other end was forgotten.
  for (const copy of unchanged.filter((each) => !isForeign(each))) {
    const errors = copy.draft.edges.flatMap((edge, index) =>
      causes.get(formatEdge(edge)) === 'absent'
        ? [{ pointer: `/relations/${index}`, message: 'is not a relation of the stored record' }]
        : [],
    )
    if (errors.length > 0) outcomes.set(copy, createRecordExistsError(copy, errors))
  }
  const same = unchanged.filter((copy) => outcomes.get(copy) === 'unchanged')
  const again = same.flatMap(listEdges).filter((edge) => causes.get(formatEdge(edge)) === 'awaited')
  const loose = missing.flatMap(({ cause, ...edge }) => (cause === 'loose' ? [edge] : []))
  return { again, loose }
}

function formatEdge({
  source_id: source,
  predicate,
  target_id: target,
}: Draft['edges'][number] | EdgeName): string {
  return `${source} ${target} ${predicate}`
}

type EdgeName = Pick<Draft['edges'][number], 'source_id' | 'predicate' | 'target_id'>
