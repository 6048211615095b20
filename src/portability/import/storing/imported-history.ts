import { isHistory } from '../../../domain/schemas/vocabulary.ts'
import type { Draft } from '../../../records/index.ts'
import type { ImportedCopy } from '../drafting/imported-draft.ts'
import type { ImportedHistory } from './import.queries.ts'

/** Returns the history of a line, with the entries that its state needs and that the line lacks. */
export function toHistory({ draft: { row }, given }: ImportedCopy): ImportedHistory {
  const { forgotten, served_count, demoted_at, importance_history } = given
  const { access_log, access_days, surprise, consolidation } = given
  return {
    id: row.id,
    created_at: row.created_at,
    forgotten,
    served_count,
    demoted_at,
    audit_log: addDeletion(given),
    status_history: addMove(given, row),
    importance_history,
    access_log,
    access_days,
    surprise,
    consolidation: consolidation && addEpisodicStage(consolidation, row, forgotten !== undefined),
  }
}

type Given = ImportedCopy['given']

/** The log of a forgotten record says who deleted it. */
function addDeletion({ forgotten, audit_log: entries = [] }: Given): Given['audit_log'] {
  if (!forgotten || entries.some(({ action }) => action === 'delete' || action === 'archive')) return entries
  const { at, reason, actor } = forgotten
  return [...entries, { action: 'delete', actor, timestamp: at, rationale: reason }]
}

/** The status history of a replaced record says how it came to its status. */
function addMove({ status_history: moves = [] }: Given, { status, updated_at: at }: Draft['row']) {
  if (moves.length > 0 || !isHistory(status)) return moves
  const move = { old: 'active' as const, new: status, actor: 'import', step: 'import', reason: 'imported' }
  return [{ ...move, changed_at: at.toISOString() }]
}

/** A current episode that was never changed still waits for consolidation, even if the line says otherwise. */
function addEpisodicStage(
  kept: NonNullable<ImportedCopy['given']['consolidation']>,
  row: Draft['row'],
  isForgotten: boolean,
) {
  const isOver = isForgotten || row.pinned || isHistory(row.status) || row.base_salience <= minCompressed
  if (row.type !== 'episodic' || row.version > 1 || isOver || kept.due.includes('episodic')) return kept
  return { ...kept, due: ['episodic' as const, ...kept.due] }
}

/** Below this base salience compression has no effect. */
const minCompressed = 0.05
