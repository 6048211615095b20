import { isDeepStrictEqual } from 'node:util'
import type { Edge } from '../../domain/edges/edges.ts'
import { listHandles } from '../../domain/identity/handles.ts'
import { scoreUnused } from '../../domain/importance/importance.ts'
import { computeExpiry, computePruneAt, computeSalience } from '../../domain/lifecycle/curves.ts'
import type { Policies, TypePolicy } from '../../domain/lifecycle/lifecycle.ts'
import { completePayload, type NewPayload, type Payload } from '../../domain/payloads/payloads.ts'
import { writeSearchableText } from '../../domain/payloads/searchable-text.ts'
import { findValidityFaults } from '../../domain/payloads/validity.ts'
import { findGraphFaults } from '../../domain/procedures/graph-cycles.ts'
import {
  defaultConfidence,
  defaultKinds,
  defaultLayers,
  defaultSalience,
} from '../../domain/record-defaults.ts'
import { pathPartPattern } from '../../domain/schemas/shapes.ts'
import {
  type Caller,
  describeVia,
  nameActor,
  type Sensitivity,
  type Visibility,
} from '../../domain/trust/caller.ts'
import { chooseSourceType, chooseWriteScope, requireCeiling } from '../../domain/trust/write-trust.ts'
import { type ConversationSignals, judgeWorth, namedWorth, type Worth } from '../../domain/worth/worth.ts'
import { AppError, type Fault } from '../../kernel/errors.ts'
import { findNamedSources } from '../descent/descents.ts'
import type { NewRecord } from '../records.schemas.ts'
import type { ContentRow, Draft, Identifier, RecordRow } from '../stored-record.ts'

export type DraftContext = {
  caller: Caller
  now: Date
  /** The id of the record if the body contains none. */
  id: string
  defaultSensitivity: Sensitivity
  policies: Policies
  /** Only for a message. */
  conversationSignals?: ConversationSignals
}

/** Everything that a create writes, computed without the database. */
export function draftRecord(given: NewRecord, context: DraftContext): Draft {
  const payload = completePayload(given.payload)
  const faults = [
    ...findTimeFaults(given, context.now),
    ...findPayloadFaults(given.type, payload),
    ...findRepeatedRelations(given),
  ]
  if (faults.length > 0) throw createInvalidError(faults)
  const worth = chooseWorth(given, payload, context)
  const row = { ...draftRow(given, worth.value, context), ...draftContent(given, payload, context.caller) }
  return {
    row,
    worth: worth.code,
    searchText: writeSearchableText(payload, row.tags),
    edges: draftEdges(given, row.id, context.now),
    descents: [],
    namedSources: findNamedSources(payload, given.provenance),
    identifiers: listIdentifiers(payload, row),
    handles: listHandles(payload),
    hasClientId: given.id !== undefined,
    audit: {
      action: 'create',
      actor: nameActor(context.caller),
      at: context.now,
      rationale: 'created',
      run_id: null,
      changes: null,
      via: describeVia(context.caller),
    },
  }
}

const maxDelayMs = 1_000

/** A draft that waited for a lock gets the current time: otherwise a client that polls by time would miss it. */
export function refreshWriteTime(draft: Draft, now: Date): Draft {
  if (now.getTime() - draft.row.updated_at.getTime() < maxDelayMs) return draft
  return { ...draft, row: { ...draft.row, updated_at: now } }
}

export function createInvalidError(faults: readonly Fault[]): AppError {
  return new AppError('validation_failed', 'The record does not match its schema.', { errors: faults })
}

/** Checks the rules that a schema cannot express. Pointers start at the record. */
export function findPayloadFaults(type: string, payload: Payload): Fault[] {
  if (payload.kind !== type) return [{ pointer: '/payload/kind', message: `must equal the type, ${type}` }]
  if (payload.kind !== 'plan_graph') return []
  return findGraphFaults(payload).map((fault) => ({ ...fault, pointer: `/payload${fault.pointer}` }))
}

/** What an import with history may state in a payload, but not a client that creates a record. */
export function findNewPayloadFaults(payload: NewPayload): Fault[] {
  if (payload.kind === 'episodic') return findUnnameableConversation(payload.conversation?.id)
  if (payload.kind !== 'semantic') return []
  const { validity, revision } = payload
  const message = 'must be {"status": "active"}: the rest is written by revisions'
  return [
    ...(validity ? findValidityFaults(validity, '/payload/validity') : []),
    ...(claimsRevision(revision) ? [{ pointer: '/payload/revision', message }] : []),
  ]
}

/** No client could read or erase such a conversation. */
function findUnnameableConversation(id: string | undefined): Fault[] {
  if (id === undefined || pathPart.test(id)) return []
  return [{ pointer: '/payload/conversation/id', message: unnameable }]
}

const pathPart = new RegExp(pathPartPattern)
const unnameable = 'the id of the conversation must not be . or .., which no URL can name'

/** Whether the member `revision` of a payload says more than that the fact is active, as every fact is at first. */
export function claimsRevision(revision: unknown): boolean {
  return revision !== undefined && revision !== null && !isDeepStrictEqual(revision, { status: 'active' })
}

export function listIdentifiers(payload: Payload, { scope, sensitivity }: Visibility): Identifier[] {
  if (payload.kind !== 'entity') return []
  return payload.identifiers.map((each) => ({ scope, sensitivity, ...each }))
}

function findTimeFaults(given: NewRecord, now: Date): Fault[] {
  const times: [string, string | undefined][] = [
    ['/created_at', given.created_at],
    ['/lifecycle/last_reinforced_at', given.lifecycle?.last_reinforced_at],
  ]
  for (const [index, relation] of (given.relations ?? []).entries()) {
    times.push([`/relations/${index}/created_at`, relation.created_at])
  }
  return times
    .filter(([, time]) => time !== undefined && new Date(time) > now)
    .map(([pointer]) => ({ pointer, message: 'must not be in the future' }))
}

function findRepeatedRelations(given: NewRecord): Fault[] {
  const seen = new Set<string>()
  return (given.relations ?? []).flatMap(({ predicate, target_id: target }, index) => {
    const key = JSON.stringify([predicate, target.toLowerCase()])
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    return [{ pointer: `/relations/${index}`, message: 'repeats an earlier predicate and target' }]
  })
}

function draftContent(given: NewRecord, payload: Payload, caller: Caller): ContentRow {
  return {
    tags: [...new Set(given.tags)],
    payload,
    provenance: given.provenance ?? { sources: [{ kind: 'event', ref: `api:${caller.name}` }] },
    interpretation: given.interpretation ?? null,
  }
}

function chooseWorth({ base_importance: named }: NewRecord, payload: Payload, context: DraftContext): Worth {
  return named === undefined
    ? judgeWorth(payload, context.conversationSignals)
    : { value: named, code: namedWorth }
}

function draftRow(given: NewRecord, baseImportance: number, context: DraftContext): RecordRow {
  const { caller, now } = context
  const sensitivity = given.sensitivity ?? context.defaultSensitivity
  requireCeiling(caller, sensitivity)
  const kept = {
    layer: given.layer ?? defaultLayers[given.type],
    source_type: chooseSourceType(caller, given.source_type),
    created_at: given.created_at === undefined ? now : new Date(given.created_at),
    base_importance: baseImportance,
    emotional_valence: given.emotional_valence ?? 0,
  }
  return {
    id: given.id?.toLowerCase() ?? context.id,
    type: given.type,
    scope: chooseWriteScope(caller, given.scope),
    sensitivity,
    memory_kind: given.memory_kind ?? defaultKinds[given.type],
    status: 'active',
    confidence: given.confidence ?? defaultConfidence,
    ...kept,
    ...draftLifecycle(given, context.policies[given.type], kept.created_at, now),
    importance: scoreUnused({ ...kept, confirmation_count: 0 }, now),
    last_accessed_at: null,
    access_count: 0,
    served_count: 0,
    confirmation_count: 0,
    version: 1,
    updated_at: now,
    forgotten_at: null,
    purge_at: null,
    forgotten_run_id: null,
    forgotten_reason: null,
    forgotten_by: null,
  }
}

function draftLifecycle(given: NewRecord, policy: TypePolicy, createdAt: Date, now: Date) {
  const anchor = given.lifecycle?.last_reinforced_at
  const anchoredAt = anchor === undefined ? now : new Date(anchor)
  const decay = { ...policy.decay, ...given.lifecycle?.decay }
  const life = {
    ...decay,
    base_salience: given.salience ?? defaultSalience,
    anchored_at: anchoredAt,
    expires_at: computeExpiry(createdAt, decay.max_age_seconds),
    pinned: given.lifecycle?.pinned ?? false,
    deletion_policy: given.lifecycle?.deletion_policy ?? policy.deletion_policy,
  }
  return {
    ...life,
    last_reinforced_at: anchoredAt,
    salience: computeSalience(life, now),
    prune_at: computePruneAt(life),
  }
}

function draftEdges(given: NewRecord, id: string, now: Date): Edge[] {
  return (given.relations ?? []).map((relation) => ({
    source_id: id,
    predicate: relation.predicate,
    target_id: relation.target_id.toLowerCase(),
    weight: relation.weight ?? 1,
    created_at: relation.created_at === undefined ? now : new Date(relation.created_at),
  }))
}
