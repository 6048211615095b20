import type { Transaction } from '../../db/transaction.ts'
import { addInverses, createEdge, type Edge } from '../../domain/edges/edges.ts'
import type { SemanticPayload } from '../../domain/payloads/payloads.ts'
import {
  type Descent,
  type Draft,
  loadManyForUpdate,
  type NewRecord,
  type Provenance,
  type StoredRecord,
  type WrittenRecord,
} from '../../records/index.ts'
import { upsertEdges } from '../../relations/index.ts'
import type { RevisionService } from '../../revision/index.ts'
import type { DerivedFact } from '../capture.schemas.ts'
import { buildFactRecord, type CaptureWriteContext, draftCapturedRecord } from '../capture-drafts.ts'
import { buildFactEdges, type FactTargets, filterNewEdges } from '../capture-edges.ts'
import { asStatedFact } from '../known-records.service.ts'
import { confirmStoredFact } from './fact-confirmation.service.ts'
import type { FactOutcome, RelatedFact } from './fact-outcome.ts'

type Resources = { textLanguage: string; revision: RevisionService }

type Conflict = Extract<FactOutcome, { policy: unknown }>

type CapturedFact = {
  context: CaptureWriteContext
  /** The id of the fact's record, if a new one is created. */
  id: string
  payload: SemanticPayload
  factOutcome: Exclude<FactOutcome, { outcome: 'merged' }>
  /** The stored record that states the same fact, locked. */
  existingFact: StoredRecord | undefined
  targets: FactTargets
  source: Provenance['sources'][number]
}

/** The outcome for the fact, with the records and edges that applying it created. */
type FactResult = { fact: DerivedFact; records: WrittenRecord[]; edges: Edge[] }

/** `drafts` are inserted together with the episode. `apply` runs afterwards and changes the existing facts. */
export type FactPlan = { drafts?: Draft[]; descents?: Descent[]; apply(tx: Transaction): Promise<FactResult> }

export function createFactPlanner({ textLanguage, revision }: Resources) {
  function plan(captured: CapturedFact): FactPlan {
    const { factOutcome } = captured
    switch (factOutcome.outcome) {
      case 'created':
        return planCreated(captured, factOutcome.relatedFact)
      case 'challenged':
        return planChallenged(captured, factOutcome.other)
      case 'contested':
        return { drafts: [draftFact(captured)], apply: (tx) => contest(tx, captured, factOutcome) }
      case 'replaced':
      case 'forked':
        return { apply: (tx) => revise(tx, captured, factOutcome) }
      case 'confirmed':
        return { descents: buildConfirmationDescent(captured), apply: (tx) => confirm(tx, captured) }
    }
  }

  async function contest(
    tx: Transaction,
    captured: CapturedFact,
    { policy, other, duplicates }: Conflict,
  ): Promise<FactResult> {
    const { context, id } = captured
    await revision.contest({ caller: context.caller, tx }, other, getContest(captured))
    const edge = createEdge(other, 'contested_by', id, context.now)
    return {
      ...createResult({ outcome: 'contested', policy, record_id: id, other_id: other }),
      edges: [edge, ...(await contestDuplicates(tx, captured, duplicates))],
    }
  }

  /** Contests those that were not withdrawn meanwhile, and returns the edges to them. */
  async function contestDuplicates(
    tx: Transaction,
    captured: CapturedFact,
    duplicates: readonly string[],
  ): Promise<Edge[]> {
    if (duplicates.length === 0) return []
    const { context, id } = captured
    const found = await loadManyForUpdate(tx, { caller: context.caller }, duplicates)
    const ids = found.flatMap((each) => asStatedFact(context, each)?.id ?? [])
    for (const duplicate of ids)
      await revision.contest({ caller: context.caller, tx }, duplicate, getContest(captured))
    return ids.map((duplicate) => createEdge(duplicate, 'contested_by', id, context.now))
  }

  async function revise(
    tx: Transaction,
    captured: CapturedFact,
    { outcome, policy, other, duplicates }: Conflict,
  ): Promise<FactResult> {
    const { context, id, targets } = captured
    const links = buildFactEdges(id, targets, context.now)
    // The policy of a topic holds until a capture names another one.
    const payload = { revision_policy: policy, ...captured.payload }
    const record: NewRecord = {
      ...buildFactRecord(context, payload, captured.source),
      id,
      relations: links.map(({ predicate, target_id }) => ({ predicate, target_id })),
    }
    const operation = outcome === 'replaced' ? revision.supersede : revision.fork
    const request = { record, capturedFrom: targets.primary, ...getAuditReason(context) }
    const revised = await operation({ caller: context.caller, tx }, other, request)
    const descent = createEdge(id, outcome === 'replaced' ? 'supersedes' : 'derived_from', other, context.now)
    const contests = outcome === 'replaced' ? await contestDuplicates(tx, captured, duplicates) : []
    const fact = { outcome, policy, record_id: id, other_id: other }
    return { fact, records: [revised.record], edges: [...links, descent, ...contests] }
  }

  async function confirm(tx: Transaction, captured: CapturedFact): Promise<FactResult> {
    const { context, existingFact, targets, payload, source } = captured
    if (!existingFact) throw new Error('a confirmed fact must be a locked record')
    const links = filterNewEdges(buildFactEdges(existingFact.id, targets, context.now), existingFact)
    await upsertEdges(tx, addInverses(links))
    const reason = { ...getAuditReason(context), now: context.now, textLanguage }
    // The fact has the same scope and sensitivity as the capture, so its readers may see who confirms it.
    await confirmStoredFact(tx, existingFact, { evidence: payload.evidence, source }, reason)
    return { ...createResult({ outcome: 'confirmed', record_id: existingFact.id }), edges: links }
  }

  return { plan }
}

/** A fact that not all of its readers may see is linked to the existing one, and the existing record is not changed. */
function planCreated(captured: CapturedFact, relatedFact: RelatedFact | undefined): FactPlan {
  const fact = { outcome: 'created' as const, record_id: captured.id }
  return {
    drafts: [draftFact({ ...captured, targets: { ...captured.targets, relatedFact } })],
    apply: async () => createResult({ ...fact, ...(relatedFact ? { other_id: relatedFact.id } : {}) }),
  }
}

/**
 * The new fact waits as `challenged` beside the current one, which it does not change. A client decides whether it
 * becomes active.
 */
function planChallenged(captured: CapturedFact, other: string | undefined): FactPlan {
  const { row, descents, ...rest } = draftFact({
    ...captured,
    targets: {
      ...captured.targets,
      relatedFact: other === undefined ? undefined : { id: other, predicate: 'contradicts' },
    },
  })
  const contest = { derived_id: captured.id, kind: 'contest' as const, is_ground: false }
  const fact = { outcome: 'challenged' as const, record_id: captured.id }
  return {
    drafts: [
      {
        ...rest,
        row: { ...row, status: 'challenged' },
        descents: other === undefined ? descents : [...descents, { ...contest, source_id: other }],
      },
    ],
    apply: async () => createResult({ ...fact, ...(other === undefined ? {} : { other_id: other }) }),
  }
}

function draftFact({ context, id, payload, source, targets }: CapturedFact): Draft {
  const edges = buildFactEdges(id, targets, context.now)
  const descent = { derived_id: id, source_id: targets.primary, kind: 'capture' as const, is_ground: true }
  const record = buildFactRecord(context, payload, source)
  return { ...draftCapturedRecord(context, record, id), edges, descents: [descent] }
}

function buildConfirmationDescent({ existingFact, targets }: CapturedFact): Descent[] {
  if (!existingFact) return []
  return [{ derived_id: existingFact.id, source_id: targets.primary, kind: 'confirm', is_ground: null }]
}

function getContest({ context, id }: CapturedFact) {
  return { contesting_ref: id, ...getAuditReason(context) }
}

function getAuditReason({ caller }: CaptureWriteContext) {
  return { actor: caller.name, rationale: 'captured' }
}

function createResult(fact: DerivedFact): FactResult {
  return { fact, records: [], edges: [] }
}
