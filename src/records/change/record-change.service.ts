import { findViolatedConstraint } from '../../db/failures.ts'
import { getOperation } from '../../db/run-effects.ts'
import type { AuditAction, RecordStatus } from '../../db/schema.ts'
import { addTallies } from '../../db/tallies.ts'
import { getVia, type Transaction } from '../../db/transaction.ts'
import { type Handle, listHandles } from '../../domain/identity/handles.ts'
import { mayBecome, mayRevertTo } from '../../domain/lifecycle/status.ts'
import { writeSearchableText } from '../../domain/payloads/searchable-text.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import { getRank, hasSameVisibility } from '../../domain/trust/caller.ts'
import { AppError } from '../../kernel/errors.ts'
import { appendEntry, computeWriteTime } from '../audit-log/audit-log.ts'
import { createIdentifierTakenError } from '../creation/creation-errors.ts'
import { listIdentifiers } from '../creation/record-draft.ts'
import { deleteHandles, insertHandles, lookUpHandles } from '../handles/handles.queries.ts'
import { deleteIdentifiers, insertIdentifiers } from '../handles/identifiers.queries.ts'
import type { ContentRow, StatusChangeRow, StoredRecord } from '../stored-record.ts'
import { appendStatusChange, applyChange, type RecordChange } from './record-change.queries.ts'
import { describeSuccessor, type Successors } from './successor-errors.ts'

export type StatusMove = { to: RecordStatus; step: string; reverts?: boolean }

export type Change = {
  action: AuditAction
  actor: string
  rationale: string
  now: Date
  record?: Omit<RecordChange['record'], 'status'>
  /** A status changes only through this member: the new status, the operation, and whether it reverts an operation. */
  status?: StatusMove
  content?: Partial<ContentRow>
  /** Field to [before, after]. A status change is added automatically. */
  changes?: Record<string, unknown>
  runId?: string
  textLanguage: string
}

/** Actions that `/metrics` counts. They are counted as they happen: the log has no index by action. */
const tallyNames: Partial<Record<AuditAction, string>> = {
  delete: 'forgotten',
  restore: 'restored',
  promote: 'promoted',
}

type StatusChangeDetails = Omit<StatusChangeRow, 'old' | 'new'>

/** Writes one change of a record that was loaded for update: columns, version and audit entry. Returns the new state. */
export async function writeChange(
  tx: Transaction,
  stored: StoredRecord,
  change: Change,
): Promise<StoredRecord> {
  const { action, status, content = {} } = change
  const now = computeWriteTime(stored, change.now)
  const entry = draftEntry(tx, stored, change, now)
  if (status) {
    const { actor, rationale: reason, run_id, via } = entry
    await changeStatus(tx, stored, status, { actor, reason, step: status.step, at: now, run_id, via })
  }
  const newStatus = status ? { status: status.to } : {}
  const record = { ...change.record, ...newStatus, version: stored.version + 1, updated_at: now }
  const changed = { ...stored, ...record, ...content }
  // With a lower sensitivity an embedding model may be allowed to read the record.
  const isMoved = changed.scope !== stored.scope || changed.sensitivity !== stored.sensitivity
  const text = findNewText(stored, changed, isMoved)
  const { scope, type } = changed
  const search = text === undefined ? undefined : { text, language: change.textLanguage, scope, type }
  const isReactivated = isHistory(stored.status) && !isHistory(changed.status)
  const isRenamed = isMoved || isReactivated || changed.payload !== stored.payload
  if (isMoved) await requireOnlyMessage(tx, stored, changed)
  // Deleted before the record changes: its new scope and sensitivity are checked for the new identifiers.
  if (isRenamed && changed.type === 'entity') await deleteIdentifiers(tx, stored.id)
  await applyChange(tx, stored.id, {
    record,
    entry,
    content,
    search,
    isCountedElsewhere: counted.some((field) => changed[field] !== stored[field]),
  })
  if (isRenamed) await updateHandles(tx, stored, changed)
  const tally = tallyNames[action]
  if (tally !== undefined) await addTallies(tx, { [tally]: 1 })
  return { ...changed, audit_log: appendEntry(stored.audit_log, entry) }
}

/** The entry of the change in the audit log. */
function draftEntry(tx: Transaction, stored: StoredRecord, change: Change, now: Date) {
  const { action, actor, rationale, runId = null } = change
  return {
    action,
    actor,
    at: now,
    rationale,
    run_id: runId,
    operation_id: getOperation(tx),
    changes: describeChanges(stored, change),
    via: getVia(tx),
  }
}

/** Undefined if the text is the same: another source of a fact, for example, needs no new vector. */
function findNewText(before: StoredRecord, after: StoredRecord, isMoved: boolean): string | undefined {
  if (!isMoved && after.payload === before.payload && after.tags === before.tags) return undefined
  const text = writeSearchableText(after.payload, after.tags)
  return isMoved || text !== writeSearchableText(before.payload, before.tags) ? text : undefined
}

const counted = ['scope', 'layer', 'pinned', 'deletion_policy'] as const

function describeChanges(stored: StoredRecord, { status, changes }: Change): Record<string, unknown> | null {
  if (!status) return changes ?? null
  return { status: [stored.status, status.to], ...changes }
}

/** Every status change is checked and recorded here, whichever operation makes it. */
async function changeStatus(
  tx: Transaction,
  stored: StoredRecord,
  { to, reverts = false }: NonNullable<Change['status']>,
  details: StatusChangeDetails,
): Promise<void> {
  if (!(reverts ? mayRevertTo : mayBecome)(stored.status, to)) {
    throw createTransitionError(stored, to)
  }
  await appendStatusChange(tx, stored.id, { ...details, old: stored.status, new: to })
}

export function createTransitionError(
  stored: StoredRecord,
  to: RecordStatus,
  successors: Successors = new Map(),
): AppError {
  const { status } = stored
  return new AppError('invalid_transition', `A record that is ${status} cannot become ${to}.`, {
    extra: { status, ...describeSuccessor(stored, successors) },
  })
}

/** Handles and identifiers follow the payload, the scope and the sensitivity. */
async function updateHandles(tx: Transaction, before: StoredRecord, after: StoredRecord): Promise<void> {
  if (after.payload.kind === 'entity') {
    const identifiers = isReplaced(after) ? [] : listIdentifiers(after.payload, after)
    await insertIdentifiers(tx, after.id, identifiers).catch(translateTakenIdentifier)
  }
  const old = listHandles(before.payload)
  const current = listHandles(after.payload)
  if (before.scope === after.scope && haveSameHandles(old, current)) return
  await deleteHandles(tx, after.id, old)
  await insertHandles(tx, after.id, after.scope, current)
}

/** A message that moved away may have been stored again where it came from. Nothing keeps it from becoming more sensitive. */
async function requireOnlyMessage(tx: Transaction, before: StoredRecord, moved: StoredRecord): Promise<void> {
  const isRaised = before.scope === moved.scope && getRank(moved.sensitivity) > getRank(before.sensitivity)
  if (moved.type !== 'episodic' || isRaised) return
  const lookups = listHandles(moved.payload).map((each) => ({
    ...each,
    scope: moved.scope,
    lock: 'if_unused' as const,
  }))
  if (lookups.length === 0) return
  const { matches } = await lookUpHandles(tx, lookups, moved.sensitivity)
  const others = matches.flatMap(({ known }) => known).filter(({ id }) => id !== moved.id)
  if (!others.some((each) => each.forgotten_at === null && hasSameVisibility(each, moved))) return
  throw new AppError(
    'message_conflict',
    'The conversation of that scope and sensitivity has this message already.',
  )
}

/** The successor of a superseded or merged record may use its identifiers. */
function isReplaced({ status }: StoredRecord): boolean {
  return status === 'superseded' || status === 'merged'
}

function haveSameHandles(left: readonly Handle[], right: readonly Handle[]): boolean {
  const listKeys = (handles: readonly Handle[]) =>
    handles
      .map(({ digest, detail }) => `${digest.toString('hex')}.${detail?.toString('hex')}`)
      .sort()
      .join()
  return listKeys(left) === listKeys(right)
}

function translateTakenIdentifier(error: unknown): never {
  if (findViolatedConstraint(error) !== 'entity_identifiers_taken') throw error
  throw createIdentifierTakenError()
}
