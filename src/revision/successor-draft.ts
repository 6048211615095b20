import { createReservedPredicateError, isReserved } from '../domain/edges/reserved-edges.ts'
import { completePayload } from '../domain/payloads/payloads.ts'
import { findValidityFaults } from '../domain/payloads/validity.ts'
import { maxTags } from '../domain/schemas/request-fields.ts'
import { type Caller, getRank, isAllowed, type Sensitivity, unscoped } from '../domain/trust/caller.ts'
import { requireScope } from '../domain/trust/write-trust.ts'
import { AppError } from '../kernel/errors.ts'
import {
  type Draft,
  type DraftContext,
  draftRecord,
  findNamedSources,
  maxSources,
  type NewRecord,
  type Descent as Recorded,
  type StoredRecord,
} from '../records/index.ts'

/** Drafts the new record of a revision: the record of the request, with the fields that it inherits from its sources. */

export type RevisionKind = 'supersede' | 'fork' | 'merge'

export type SuccessorInput = {
  record: NewRecord
  actor: string
  rationale: string
  /** The id of the captured evidence, if a capture revises. The new record is derived from it too. */
  capturedFrom?: string
}

export function draftSuccessor(
  { record: given, actor, rationale, capturedFrom }: SuccessorInput,
  sources: readonly StoredRecord[],
  kind: RevisionKind,
  context: DraftContext,
): Draft {
  requireType(given, sources)
  requireEvidence(given)
  requireValidity(given)
  const inherited = {
    ...given,
    ...inheritTrust(given, sources, context.caller),
    tags: inheritTags(given, sources, kind),
    provenance: inheritProvenance(given, sources, kind),
    relations: inheritRelations(given, sources, kind, capturedFrom),
    payload: startRevision(given.payload, sources, kind),
  }
  const draft = draftAtRecord(inherited, context)
  return {
    ...draft,
    descents: draftDescents(draft.row.id, sources, kind, capturedFrom),
    namedSources: findNamedSources(completePayload(given.payload), given.provenance),
    audit: { ...draft.audit, actor, rationale },
  }
}

/** Whether these are grounds depends on the other sources of the body, which only the database knows. */
function draftDescents(
  id: string,
  sources: readonly StoredRecord[],
  kind: RevisionKind,
  capturedFrom: string | undefined,
): Recorded[] {
  const from = sources.map((source) => ({ source_id: source.id, kind }))
  const captured = capturedFrom === undefined ? [] : [{ source_id: capturedFrom, kind: 'capture' as const }]
  return [...from, ...captured].map((each) => ({ ...each, derived_id: id, is_ground: null }))
}

/** Errors point into the member `record` of the body. */
function draftAtRecord(given: NewRecord, context: DraftContext): Draft {
  try {
    return draftRecord(given, context)
  } catch (error) {
    throw error instanceof AppError ? error.at('/record') : error
  }
}

function requireType(given: NewRecord, sources: readonly StoredRecord[]): void {
  if (sources.every(({ type }) => type === given.type)) return
  throw new AppError('type_mismatch', 'A revision cannot change the type of the record.', {
    errors: [{ pointer: '/record/type', message: 'must be the type of the revised record' }],
  })
}

/** The revised fact is not evidence for a fact that contradicts it. */
function requireEvidence({ payload, provenance }: NewRecord): void {
  if (payload.kind !== 'semantic' || provenance || (payload.evidence ?? []).length > 0) return
  throw new AppError('evidence_required', 'The new fact needs evidence or a source.', {
    errors: [
      {
        pointer: '/record/payload/evidence',
        message: 'must say who or what states the new fact: a source_type, a source_id and a timestamp',
      },
    ],
  })
}

function requireValidity({ payload }: NewRecord): void {
  if (payload.kind !== 'semantic' || !payload.validity) return
  const errors = findValidityFaults(payload.validity, '/record/payload/validity')
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The new fact ends before it starts.', { errors })
}

function inheritTrust(given: NewRecord, sources: readonly StoredRecord[], caller: Caller) {
  const scope = sources[0]?.scope ?? unscoped
  if (given.scope !== undefined && given.scope !== scope) {
    requireScope(caller, given.scope)
    throw createScopeMismatchError([
      { pointer: '/record/scope', message: 'must be the scope of the revised record' },
    ])
  }
  const highest = chooseHighest(sources)
  const sensitivity = given.sensitivity ?? highest
  if (getRank(sensitivity) < getRank(highest) && !isAllowed(caller, 'admin')) {
    throw new AppError('sensitivity_lowered', 'Lowering the sensitivity needs the permission admin.', {
      errors: [{ pointer: '/record/sensitivity', message: `must be at least ${highest}` }],
    })
  }
  return { scope, sensitivity }
}

export function createScopeMismatchError(errors: readonly { pointer: string; message: string }[]): AppError {
  return new AppError('scope_mismatch', 'All records of a revision must have the same scope.', { errors })
}

function chooseHighest(sources: readonly StoredRecord[]): Sensitivity {
  return sources.reduce<Sensitivity>(
    (highest, { sensitivity }) => (getRank(sensitivity) > getRank(highest) ? sensitivity : highest),
    'public',
  )
}

/** The tags of a request replace those of one source, and are added to those of several. */
function inheritTags({ tags }: NewRecord, sources: readonly StoredRecord[], kind: RevisionKind): string[] {
  const inherited = tags === undefined || kind === 'merge' ? sources.flatMap((source) => source.tags) : []
  return [...new Set([...(tags ?? []), ...inherited])].slice(0, maxTags)
}

type Provenance = NonNullable<NewRecord['provenance']>

/** A merged record gets the sources of its sources. Any other new record gets the revised record as a source. */
function inheritProvenance(
  { provenance }: NewRecord,
  sources: readonly StoredRecord[],
  kind: RevisionKind,
): Provenance {
  const inherited = sources.flatMap(({ id, provenance: theirs }): Provenance['sources'] =>
    kind === 'merge' ? theirs.sources : [{ kind: 'event', ref: `record:${id}` }],
  )
  const given = provenance?.sources ?? []
  // One place is kept for the revised record: an erase of it must find this record.
  const kept = kind === 'merge' ? given : given.slice(0, maxSources - 1)
  const all = new Map([...kept, ...inherited].map((source) => [formatSource(source), source]))
  return { ...provenance, sources: [...all.values()].slice(0, maxSources) }
}

function formatSource({ kind, ref, hash, created_by, timestamp }: Provenance['sources'][number]): string {
  return JSON.stringify([kind, ref, hash, created_by, timestamp])
}

type Relations = NonNullable<NewRecord['relations']>

/** An edge to a source that the body contains keeps its weight but gets the time of the revision, which identifies it. */
function inheritRelations(
  { relations = [] }: NewRecord,
  sources: readonly StoredRecord[],
  kind: RevisionKind,
  capturedFrom: string | undefined,
): Relations {
  const predicate = kind === 'supersede' ? 'supersedes' : 'derived_from'
  const missing = new Set(sources.map(({ id }) => id))
  const given = relations.map((relation, index) => {
    const target = relation.target_id.toLowerCase()
    const isCaptured = relation.predicate === 'derived_from' && target === capturedFrom
    if (relation.predicate !== predicate || !missing.delete(target)) {
      if (!isReserved(relation.predicate) || isCaptured) return relation
      throw createReservedPredicateError(`/record/relations/${index}/predicate`)
    }
    const { created_at: _, ...undated } = relation
    return undated
  })
  return [...given, ...[...missing].map((id) => ({ predicate, target_id: id }))]
}

/** A new fact is always active: the body cannot make it retracted or superseded. */
function startRevision(
  payload: NewRecord['payload'],
  sources: readonly StoredRecord[],
  kind: RevisionKind,
): NewRecord['payload'] {
  if (payload.kind !== 'semantic') return payload
  const [source] = sources
  const supersedes = kind === 'supersede' && source ? { supersedes: source.id } : {}
  return { ...payload, revision: { ...supersedes, status: 'active' } }
}
