import type { Database } from '../db/connection.ts'
import { violatedConstraint } from '../db/failures.ts'
import type { AuditAction, RecordStatus } from '../db/schema.ts'
import { addTallies } from '../db/tallies.ts'
import { getVia } from '../db/transaction.ts'
import { type Handle, listHandles } from '../domain/handles.ts'
import { searchableText } from '../domain/searchable-text.ts'
import { mayBecome, mayRevertTo } from '../domain/status.ts'
import { AppError } from '../kernel/errors.ts'
import { appendEntry, computeWriteTime } from './audit-log.ts'
import { appendStatusChange, applyChange, type RecordChange } from './record-change.queries.ts'
import { identifiersOf } from './record-draft.ts'
import { deleteHandles, deleteIdentifiers, insertHandles, insertIdentifiers } from './records.queries.ts'
import type { ContentRow, StatusChangeRow, StoredRecord } from './stored-record.ts'

export type StatusMove = { to: RecordStatus; step: string; reverts?: boolean }

export type Change = {
  action: AuditAction
  actor: string
  rationale: string
  now: Date
  record?: Omit<RecordChange['record'], 'status'>
  /** The only way a status moves: where to, by which step of the service, and whether it takes an operation back. */
  status?: StatusMove
  content?: Partial<ContentRow>
  /** Field to [before, after]; a status adds itself. */
  changes?: Record<string, unknown>
  runId?: string
  textLanguage: string
}

/** What is worth a count of its own, beside its entry in the log, which goes with the record. */
const tallyNames: Partial<Record<AuditAction, string>> = {
  delete: 'forgotten',
  restore: 'restored',
  promote: 'promoted',
}

type StatusChangeDetails = Omit<StatusChangeRow, 'old' | 'new'>

/** Writes one change of a claimed record: its columns, its version and its log. Answers it as it now stands. */
export async function writeChange(tx: Database, stored: StoredRecord, change: Change): Promise<StoredRecord> {
  const { action, actor, rationale, status, content = {}, runId = null } = change
  const now = computeWriteTime(stored, change.now)
  const via = getVia(tx)
  if (status) {
    const move = { actor, reason: rationale, step: status.step, at: now, run_id: runId, via }
    await changeStatus(tx, stored, status, move)
  }
  const moved = status ? { status: status.to } : {}
  const changes = describeChanges(stored, change)
  const entry = { action, actor, at: now, rationale, run_id: runId, changes, via }
  const record = { ...change.record, ...moved, version: stored.version + 1, updated_at: now }
  const changed = { ...stored, ...record, ...content }
  // A lower sensitivity may let an embedding model read what was kept from it.
  const isMoved = changed.scope !== stored.scope || changed.sensitivity !== stored.sensitivity
  const isSaid = Object.keys(content).length > 0 || isMoved
  const text = isSaid ? searchableText(changed.payload, changed.tags) : ''
  const search = { text, language: change.textLanguage, scope: changed.scope, type: changed.type }
  const isRevived = isReplaced(stored) && !isReplaced(changed)
  const isRenamed = isMoved || isRevived || changed.payload !== stored.payload
  // Before the record moves: its new place is checked for what it says then.
  if (isRenamed && changed.type === 'entity') await deleteIdentifiers(tx, stored.id)
  await applyChange(tx, stored.id, { record, entry, ...(isSaid ? { rewritten: { content, search } } : {}) })
  if (isRenamed) await updateHandles(tx, stored, changed)
  const tally = tallyNames[action]
  if (tally !== undefined) await addTallies(tx, { [tally]: 1 })
  return { ...changed, audit_log: appendEntry(stored.audit_log, entry) }
}

function describeChanges(stored: StoredRecord, { status, changes }: Change): Record<string, unknown> | null {
  if (!status) return changes ?? null
  return { status: [stored.status, status.to], ...changes }
}

/** Every transition passes here, and leaves its trace beside the audit log: whoever asks for it, by whatever path. */
async function changeStatus(
  tx: Database,
  stored: StoredRecord,
  { to, reverts = false }: NonNullable<Change['status']>,
  move: StatusChangeDetails,
): Promise<void> {
  if (!(reverts ? mayRevertTo : mayBecome)(stored.status, to)) {
    throw invalidTransition(stored, to)
  }
  await appendStatusChange(tx, stored.id, { ...move, old: stored.status, new: to })
}

export function invalidTransition({ status }: StoredRecord, to: RecordStatus): AppError {
  return new AppError('invalid_transition', `What is ${status} does not become ${to}.`, { extra: { status } })
}

/** What it is known by follows what it says and where it belongs. */
async function updateHandles(tx: Database, before: StoredRecord, after: StoredRecord): Promise<void> {
  if (after.payload.kind === 'entity') {
    const identifiers = isReplaced(after) ? [] : identifiersOf(after.payload, after)
    await insertIdentifiers(tx, after.id, identifiers).catch(translateTakenIdentifier)
  }
  const [old, current] = [listHandles(before.payload), listHandles(after.payload)]
  if (before.scope === after.scope && haveSameHandles(old, current)) return
  await deleteHandles(tx, after.id, old)
  await insertHandles(tx, after.id, after.scope, current)
}

/** What took its place may have what it was identified by. */
function isReplaced({ status }: StoredRecord): boolean {
  return status === 'superseded' || status === 'merged'
}

function haveSameHandles(left: readonly Handle[], right: readonly Handle[]): boolean {
  const keysOf = (handles: readonly Handle[]) =>
    handles
      .map(({ digest, detail }) => `${digest.toString('hex')}.${detail?.toString('hex')}`)
      .sort()
      .join()
  return keysOf(left) === keysOf(right)
}

function translateTakenIdentifier(error: unknown): never {
  if (violatedConstraint(error) !== 'entity_identifiers_taken') throw error
  throw new AppError('identifier_taken', 'Another entity of this scope and sensitivity has this identifier.')
}
