import { codeBytes, decode } from '../embeddings/codes.ts'
import type { Caller, Sensitivity } from '../kernel/caller.ts'
import { AppError, type Fault } from '../kernel/errors.ts'
import { draftRecord } from '../records/creation/draft.ts'
import type { Handle } from '../records/handles.ts'
import type { NewRecord } from '../records/index.ts'
import type { Draft } from '../records/rows.ts'
import { findMiscounts } from './accesses.ts'
import type { ImportedRecord, KeptEmbedding } from './schemas.ts'

/** A line as what is to be stored: a record, and what the service had kept of it where it comes from. */
export type Copy = { draft: Draft; given: ImportedRecord; isWhole: boolean }

type Context = { caller: Caller; now: Date; id: string; defaultSensitivity: Sensitivity }

/** Of a record as a create takes it: refused as a create would be, and born now. */
export function copyPlain(given: ImportedRecord, context: Context): Copy {
  const draft = draftRecord(asNew(given), context)
  return { draft: { ...draft, audit: { ...draft.audit, rationale: 'imported' } }, given, isWhole: false }
}

/** Of one with a past, which it goes on with. */
export function copyWhole(given: ImportedRecord, context: Context): Copy {
  const faults = [
    ...findLateTimes(given, context.now),
    ...findBrokenChain(given),
    ...findMiscounts(given),
    ...findBrokenVectors(given),
  ]
  if (faults.length > 0)
    throw new AppError('validation_failed', 'The record breaks its schema.', { errors: faults })
  // Whose memory it is was decided where it was written.
  const plain = copyPlain(given, { ...context, caller: { ...context.caller, sourceType: 'human' } })
  const { row, identifiers, handles } = plain.draft
  const draft: Draft = {
    ...plain.draft,
    row: { ...row, ...keptOf(given, row) },
    identifiers: given.identifiers?.map((each) => ({ scope: row.scope, ...each })) ?? identifiers,
    handles: given.handles?.map(readHandle) ?? handles,
  }
  return { draft, given, isWhole: true }
}

/** Its edges are stored apart: their targets may come later. */
function asNew(given: ImportedRecord): NewRecord {
  const { anchors, salience, lifecycle } = given
  const base = anchors?.base_salience ?? salience
  const anchor = anchors?.anchored_at ?? lifecycle?.last_reinforced_at
  const told = Object.fromEntries(
    plainNames.flatMap((name) => (Object.hasOwn(given, name) ? [[name, given[name]]] : [])),
  )
  return {
    ...(told as NewRecord),
    ...(base === undefined ? {} : { salience: base }),
    ...(anchor === undefined ? {} : { lifecycle: { ...lifecycle, last_reinforced_at: anchor } }),
  }
}

const plainNames = [
  ...([
    'id',
    'type',
    'sensitivity',
    'confidence',
    'scope',
    'tags',
    'created_at',
    'lifecycle',
    'provenance',
  ] as const),
  ...(['relations', 'payload', 'interpretation', 'base_importance', 'emotional_valence', 'layer'] as const),
  ...(['memory_kind', 'source_type'] as const),
]

function keptOf(given: ImportedRecord, row: Draft['row']): Partial<Draft['row']> {
  const { lifecycle, updated_at: updated, last_accessed_at: accessed } = given
  const reinforced = lifecycle?.last_reinforced_at
  return {
    last_reinforced_at: reinforced === undefined ? row.last_reinforced_at : new Date(reinforced),
    updated_at: updated === undefined ? row.updated_at : new Date(updated),
    last_accessed_at: accessed === undefined ? null : new Date(accessed),
    version: given.version ?? row.version,
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

function findLateTimes(given: ImportedRecord, now: Date): Fault[] {
  const each = <T>(
    name: string,
    list: readonly T[] | undefined,
    timeOf: (item: T) => string,
    member: string,
  ) => (list ?? []).map((item, index): [string, string] => [`/${name}/${index}/${member}`, timeOf(item)])
  const times: [string, string | undefined][] = [
    ['/anchors/anchored_at', given.anchors?.anchored_at],
    ['/updated_at', given.updated_at],
    ['/last_accessed_at', given.last_accessed_at],
    ['/demoted_at', given.demoted_at],
    ['/forgotten/at', given.forgotten?.at],
    ['/surprise/at', given.surprise?.at],
    ...each('audit_log', given.audit_log, (entry) => entry.timestamp, 'timestamp'),
    ...each('status_history', given.status_history, (move) => move.changed_at, 'changed_at'),
    ...each('importance_history', given.importance_history, (move) => move.changed_at, 'changed_at'),
    ...each('access_log', given.access_log, (access) => access.at, 'at'),
  ]
  return times
    .filter(([, time]) => time !== undefined && new Date(time) > now)
    .map(([pointer]) => ({ pointer, message: 'must not be in the future' }))
}

/** Each move begins where the one before it led to, and the last leads to what the record is. */
function findBrokenChain({ status_history: moves = [], status = 'active' }: ImportedRecord): Fault[] {
  const faults = moves.flatMap((move, index) => {
    const before = moves[index - 1]
    const pointer = `/status_history/${index}`
    if (move.old === move.new) return [{ pointer: `${pointer}/new`, message: 'must differ from the old one' }]
    return before && before.new !== move.old
      ? [{ pointer: `${pointer}/old`, message: `must be ${before.new}, as the move before it led to` }]
      : []
  })
  const last = moves.at(-1)
  if (last && last.new !== status)
    faults.push({ pointer: '/status', message: `must be ${last.new}, as its history says` })
  return faults
}

function findBrokenVectors({ embeddings = [] }: ImportedRecord): Fault[] {
  return embeddings.flatMap((embedding, index) =>
    isVector(embedding)
      ? []
      : [{ pointer: `/embeddings/${index}/code`, message: 'is no vector of that precision' }],
  )
}

const signatureBytes = 128

function isVector({ code, signature, dimensions, bits }: KeptEmbedding): boolean {
  const bytes = Buffer.from(code, 'base64')
  if (bytes.length !== codeBytes(dimensions, bits)) return false
  return (
    Buffer.from(signature, 'base64').length === signatureBytes &&
    decode(bytes, dimensions, bits).every(Number.isFinite)
  )
}
