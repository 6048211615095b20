import { createEdge } from '../../../domain/edges/edges.ts'
import type { Handle } from '../../../domain/identity/handles.ts'
import type { Seal } from '../../../domain/identity/tombstone-seal.ts'
import type { Policies } from '../../../domain/lifecycle/lifecycle.ts'
import { isHistory } from '../../../domain/schemas/vocabulary.ts'
import type { Caller, Sensitivity } from '../../../domain/trust/caller.ts'
import { AppError } from '../../../kernel/errors.ts'
import {
  createInvalidError,
  type Draft,
  draftRecord,
  findNewPayloadFaults,
  maxNewRelations,
  type NewRecord,
  writeRow,
} from '../../../records/index.ts'
import type { ImportedRecord } from '../../portability.schemas.ts'
import { findHistoryFaults } from './history-check.ts'

/**
 * A line as a draft to store, and the line itself. `hasHistory` is true when the line has fields that only the
 * service writes.
 */
export type ImportedCopy = {
  draft: Draft
  given: ImportedRecord
  hasHistory: boolean
  /** Only for an item of another program: shows at the next import whether the item is still the same. */
  fingerprint?: string
}

export function isForeign({ fingerprint }: ImportedCopy): boolean {
  return fingerprint !== undefined
}

/** Edges follow when their targets have come. A line with a log needs no first entry, and any line may name a deleted record. */
export function toStorable(draft: Draft, { audit_log: log = [] }: ImportedRecord) {
  return { ...draft, edges: [], hasClientId: true, audit: log.length > 0 ? null : draft.audit }
}

/**
 * Writes the row of a copy while the database is busy with the lines before it. Where the database waited for this, an import
 * took an eighth longer.
 */
export function writeAhead({ draft, given, ...copy }: ImportedCopy, seal: Seal): ImportedCopy {
  return { ...copy, given, draft: { ...draft, written: writeRow(toStorable(draft, given), seal) } }
}

type Context = { caller: Caller; now: Date; id: string; defaultSensitivity: Sensitivity; policies: Policies }

/** Drafts a record as a client would create it: what a create refuses is refused. */
export function draftPlainRecord(given: ImportedRecord, context: Context): ImportedCopy {
  const faults = findNewPayloadFaults(given.payload)
  if ((given.relations?.length ?? 0) > maxNewRelations)
    faults.push({ pointer: '/relations', message: `must have at most ${maxNewRelations} items` })
  if (faults.length > 0) throw createInvalidError(faults)
  return draftNewRecord(given, context)
}

/** Drafts a record without history, created now. It may state what a store or another program has kept. */
export function draftNewRecord(given: ImportedRecord, context: Context): ImportedCopy {
  const draft = draftRecord(toNewRecord(given), context)
  return { draft: { ...draft, audit: { ...draft.audit, rationale: 'imported' } }, given, hasHistory: false }
}

/** Drafts a record that continues its history. */
export function draftWithHistory(given: ImportedRecord, context: Context): ImportedCopy {
  const faults = findHistoryFaults(given, context.now)
  if (faults.length > 0)
    throw new AppError('validation_failed', 'The history in the line contradicts itself.', { errors: faults })
  // The source type was decided where the record was created.
  const plain = draftNewRecord(given, { ...context, caller: { ...context.caller, sourceType: 'human' } })
  const { row, handles } = plain.draft
  const draft: Draft = {
    ...plain.draft,
    row: { ...row, ...readReservedColumns(given, row) },
    worth: given.worth === undefined ? null : Buffer.from(given.worth, 'hex'),
    edges: joinEdges(given, plain.draft),
    identifiers: chooseIdentifiers(given, plain.draft),
    handles: joinHandles(given.handles?.map(readHandle), handles, isHistory(given.status ?? 'active')),
  }
  return { draft, given, hasHistory: true }
}

/** A current entity owns all identifiers of its payload, a superseded or merged one none. */
function chooseIdentifiers(
  { identifiers: given, status = 'active', status_history: moves = [] }: ImportedRecord,
  { row: { scope, sensitivity }, identifiers: own }: Draft,
): Draft['identifiers'] {
  if (!isHistory(status)) return own
  const step = moves.at(-1)?.step
  if (step === 'supersede' || step === 'merge') return []
  return given?.map((each) => ({ scope, sensitivity, ...each })) ?? own
}

/**
 * Adds the edge of a revision that a line without a log leaves out. Fields that only an admin imports must show the
 * revision: a client chooses the ids in its payload. A line with a log is an export, which has every edge.
 */
function joinEdges(given: ImportedRecord, { row, edges }: Draft): Draft['edges'] {
  const { payload } = row
  if (given.audit_log !== undefined || payload.kind !== 'semantic') return edges
  const { supersedes: old, superseded_by: next } = payload.revision ?? {}
  const isSuccessor = given.descent?.some(
    ({ source_id: source, kind }) => kind === 'supersede' && source.toLowerCase() === old?.toLowerCase(),
  )
  const isReplaced = given.status === 'superseded' && given.relations === undefined
  return [
    ...edges,
    ...(isSuccessor ? findMissingEdge({ row, edges }, 'supersedes', old) : []),
    ...(isReplaced ? findMissingEdge({ row, edges }, 'superseded_by', next) : []),
  ]
}

function findMissingEdge(
  { row, edges }: Pick<Draft, 'row' | 'edges'>,
  predicate: string,
  other: string | undefined,
): Draft['edges'] {
  const target_id = other?.toLowerCase()
  const isKnown = edges.some((edge) => edge.predicate === predicate && edge.target_id === target_id)
  if (target_id === undefined || target_id === row.id || isKnown) return []
  return [createEdge(row.id, predicate, target_id, row.created_at)]
}

/** A current record needs all handles of its payload, besides those of the line. */
function joinHandles(
  given: Handle[] | undefined,
  own: readonly Handle[],
  isOver: boolean,
): readonly Handle[] {
  if (!given) return own
  if (isOver) return given
  const formatHandle = ({ digest, detail }: Handle) => `${digest.toString('hex')} ${detail?.toString('hex')}`
  const known = new Set(given.map(formatHandle))
  return [...given, ...own.filter((handle) => !known.has(formatHandle(handle)))]
}

/** Edges are stored separately, because their targets may come later. */
function toNewRecord(given: ImportedRecord): NewRecord {
  const { anchors, salience, lifecycle } = given
  const base = anchors?.base_salience ?? salience
  const anchor = anchors?.anchored_at ?? lifecycle?.last_reinforced_at
  const fields: Record<string, unknown> = {}
  for (const name of plainNames) if (Object.hasOwn(given, name)) fields[name] = given[name]
  return {
    ...(fields as NewRecord),
    ...(base === undefined ? {} : { salience: base }),
    ...(anchor === undefined ? {} : { lifecycle: { ...lifecycle, last_reinforced_at: anchor } }),
  }
}

const plainNames = [
  'id',
  'type',
  'sensitivity',
  'confidence',
  'scope',
  'tags',
  'created_at',
  'lifecycle',
  'provenance',
  'relations',
  'payload',
  'interpretation',
  'base_importance',
  'emotional_valence',
  'layer',
  'memory_kind',
  'source_type',
] as const

/**
 * Every version has an entry in the audit log. A line without some of the entries, such as one that was exported by a
 * key that does not see them all, keeps as many versions as it has entries.
 */
function limitVersion({ version, audit_log: entries = [] }: ImportedRecord): number | undefined {
  return version === undefined ? undefined : Math.min(version, Math.max(1, entries.length))
}

function readReservedColumns(given: ImportedRecord, row: Draft['row']): Partial<Draft['row']> {
  const { lifecycle, updated_at: updated, last_accessed_at: accessed } = given
  const reinforced = lifecycle?.last_reinforced_at
  return {
    last_reinforced_at: reinforced === undefined ? row.last_reinforced_at : new Date(reinforced),
    updated_at: updated === undefined ? row.updated_at : new Date(updated),
    last_accessed_at: accessed === undefined ? null : new Date(accessed),
    version: limitVersion(given) ?? row.version,
    status: given.status ?? row.status,
    importance: given.importance ?? row.importance,
    access_count: given.access_count ?? row.access_count,
    confirmation_count: given.confirmation_count ?? row.confirmation_count,
  }
}

function readHandle({ digest, detail, place }: NonNullable<ImportedRecord['handles']>[number]): Handle {
  return {
    digest: Buffer.from(digest, 'hex'),
    detail: detail === undefined ? null : Buffer.from(detail, 'hex'),
    place: place ?? null,
  }
}
