import { type Caller, isAllowed, rankOf, type Sensitivity, unscoped } from '../domain/caller.ts'
import { completePayload } from '../domain/payloads.ts'
import { isReserved, reservedPredicate } from '../domain/reserved-edges.ts'
import { requireScope } from '../domain/write-trust.ts'
import { AppError } from '../kernel/errors.ts'
import {
  type Draft,
  type DraftContext,
  draftRecord,
  findNamedSources,
  type NewRecord,
  type Descent as Recorded,
  type StoredRecord,
} from '../records/index.ts'

/** What comes of a revision: the record as asked for, and what it has from those it comes of. */

export type RevisionKind = 'supersede' | 'fork' | 'merge'

export type SuccessorInput = {
  record: NewRecord
  actor: string
  rationale: string
  /** The evidence that tells the new record, when a capture revises: the record is derived from it as well. */
  capturedFrom?: string
}

const maxTags = 100
const maxSources = 10_000

export function draftSuccessor(
  { record: given, actor, rationale, capturedFrom }: SuccessorInput,
  sources: readonly StoredRecord[],
  descent: RevisionKind,
  context: DraftContext,
): Draft {
  requireType(given, sources)
  requireEvidence(given)
  const inherited = {
    ...given,
    ...inheritTrust(given, sources, context.caller),
    tags: inheritTags(given, sources, descent),
    provenance: inheritProvenance(given, sources, descent),
    relations: inheritRelations(given, sources, descent, capturedFrom),
    payload: startRevision(given.payload, sources, descent),
  }
  const draft = draftAtRecord(inherited, context)
  return {
    ...draft,
    descents: draftDescents(draft.row.id, sources, descent, capturedFrom),
    namedSources: findNamedSources(completePayload(given.payload), given.provenance),
    audit: { ...draft.audit, actor, rationale },
  }
}

/** Whether they are grounds depends on what else the body rests on, which only the database knows. */
function draftDescents(
  id: string,
  sources: readonly StoredRecord[],
  descent: RevisionKind,
  capturedFrom: string | undefined,
): Recorded[] {
  const from = sources.map((source) => ({ source_id: source.id, kind: descent }))
  const told = capturedFrom === undefined ? [] : [{ source_id: capturedFrom, kind: 'capture' as const }]
  return [...from, ...told].map((each) => ({ ...each, derived_id: id, is_ground: null }))
}

/** Its faults lie within the member of the body that it is. */
function draftAtRecord(given: NewRecord, context: DraftContext): Draft {
  try {
    return draftRecord(given, context)
  } catch (error) {
    throw error instanceof AppError ? error.at('/record') : error
  }
}

function requireType(given: NewRecord, sources: readonly StoredRecord[]): void {
  if (sources.every(({ type }) => type === given.type)) return
  throw new AppError('type_mismatch', 'A revision keeps the type of the record.', {
    errors: [{ pointer: '/record/type', message: 'must be the type of what is revised' }],
  })
}

/** What is revised does not vouch for what contradicts it. */
function requireEvidence({ payload, provenance }: NewRecord): void {
  if (payload.kind !== 'semantic' || provenance || (payload.evidence ?? []).length > 0) return
  throw new AppError('evidence_required', 'A revised fact needs evidence, or a source of its own.', {
    errors: [{ pointer: '/record/payload/evidence', message: 'must name what the fact rests on' }],
  })
}

function inheritTrust(given: NewRecord, sources: readonly StoredRecord[], caller: Caller) {
  const scope = sources[0]?.scope ?? unscoped
  if (given.scope !== undefined && given.scope !== scope) {
    requireScope(caller, given.scope)
    throw createScopeMismatchError([
      { pointer: '/record/scope', message: 'must be the scope of what is revised' },
    ])
  }
  const highest = highestOf(sources)
  const sensitivity = given.sensitivity ?? highest
  if (rankOf(sensitivity) < rankOf(highest) && !isAllowed(caller, 'admin')) {
    throw new AppError('sensitivity_lowered', 'Lowering a sensitivity takes the admin permission.', {
      errors: [{ pointer: '/record/sensitivity', message: `must be at least ${highest}` }],
    })
  }
  return { scope, sensitivity }
}

export function createScopeMismatchError(errors: readonly { pointer: string; message: string }[]): AppError {
  return new AppError('scope_mismatch', 'What is revised together belongs to one scope.', { errors })
}

function highestOf(sources: readonly StoredRecord[]): Sensitivity {
  return sources.reduce<Sensitivity>(
    (highest, { sensitivity }) => (rankOf(sensitivity) > rankOf(highest) ? sensitivity : highest),
    'public',
  )
}

function inheritTags(
  { tags = [] }: NewRecord,
  sources: readonly StoredRecord[],
  descent: RevisionKind,
): string[] {
  const inherited = descent === 'merge' ? sources.flatMap((source) => source.tags) : []
  return [...new Set([...tags, ...inherited])].slice(0, maxTags)
}

type Provenance = NonNullable<NewRecord['provenance']>

/** A merged record rests on what its sources rested on; any other on the one record it comes of as well. */
function inheritProvenance(
  { provenance }: NewRecord,
  sources: readonly StoredRecord[],
  descent: RevisionKind,
): Provenance {
  const inherited = sources.flatMap(({ id, provenance: theirs }): Provenance['sources'] =>
    descent === 'merge' ? theirs.sources : [{ kind: 'event', ref: `record:${id}` }],
  )
  const given = provenance?.sources ?? []
  // Of a single record the place is kept: an erasure must find what was made from it.
  const kept = descent === 'merge' ? given : given.slice(0, maxSources - 1)
  const all = new Map([...kept, ...inherited].map((source) => [keyOf(source), source]))
  return { ...provenance, sources: [...all.values()].slice(0, maxSources) }
}

function keyOf({ kind, ref, hash, created_by, timestamp }: Provenance['sources'][number]): string {
  return JSON.stringify([kind, ref, hash, created_by, timestamp])
}

type Relations = NonNullable<NewRecord['relations']>

/** An edge of descent that the body names itself keeps its weight, but is as old as the revision: by that it is known. */
function inheritRelations(
  { relations = [] }: NewRecord,
  sources: readonly StoredRecord[],
  descent: RevisionKind,
  capturedFrom: string | undefined,
): Relations {
  const predicate = descent === 'supersede' ? 'supersedes' : 'derived_from'
  const lacking = new Set(sources.map(({ id }) => id))
  const given = relations.map((relation, index) => {
    const target = relation.target_id.toLowerCase()
    const isCaptured = relation.predicate === 'derived_from' && target === capturedFrom
    if (relation.predicate !== predicate || !lacking.delete(target)) {
      if (!isReserved(relation.predicate) || isCaptured) return relation
      throw reservedPredicate(`/record/relations/${index}/predicate`)
    }
    const { created_at: _, ...undated } = relation
    return undated
  })
  return [...given, ...[...lacking].map((id) => ({ predicate, target_id: id }))]
}

/** A body cannot begin its life retracted, or claim to be superseded. */
function startRevision(
  payload: NewRecord['payload'],
  sources: readonly StoredRecord[],
  descent: RevisionKind,
): NewRecord['payload'] {
  if (payload.kind !== 'semantic') return payload
  const [source] = sources
  const supersedes = descent === 'supersede' && source ? { supersedes: source.id } : {}
  return { ...payload, revision: { ...supersedes, status: 'active' } }
}
