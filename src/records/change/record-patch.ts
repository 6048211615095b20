import { isDeepStrictEqual } from 'node:util'
import { computeExpiry, computePruneAt, computeSalience } from '../../domain/lifecycle/curves.ts'
import { Decay, type Policies } from '../../domain/lifecycle/lifecycle.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import { defaultConfidence, defaultKinds } from '../../domain/record-defaults.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import { type Caller, type Sensitivity, unscoped } from '../../domain/trust/caller.ts'
import {
  requireCeiling,
  requireNotLowered,
  requireProtection,
  requireScope,
} from '../../domain/trust/write-trust.ts'
import { judgeWorth, namedWorth, type Worth } from '../../domain/worth/worth.ts'
import type { ContentRow, RecordRow, StoredRecord } from '../stored-record.ts'
import type { RecordPatch } from './record-patch.schemas.ts'
import { createHistoryError, type Successors } from './successor-errors.ts'

export type PatchResult = {
  record: Partial<RecordRow & { worth: Buffer }>
  content: Partial<ContentRow>
  /** Field to [before, after], for the audit log; empty when nothing changes. */
  changes: Record<string, [unknown, unknown]>
}

type Context = {
  caller: Caller
  now: Date
  defaultSensitivity: Sensitivity
  policies: Policies
  successors: Successors
}

/** The changes that a patch makes. `payload` is the whole new payload, already merged and checked. */
export function applyPatch(
  stored: StoredRecord,
  patch: RecordPatch,
  payload: Payload,
  context: Context,
): PatchResult {
  const content = pickChanged(stored, { tags: resolveTags(patch), payload })
  const worth = chooseWorth(patch, payload)
  const chosen = pickChanged(stored, {
    ...resolveFields(stored, patch, context.policies),
    base_importance: worth?.value,
    ...resolveTrust(stored, patch, context),
  })
  requireProtection(context.caller, stored, chosen)
  if (chosen.pinned === true) requireNoHistory(stored, context.successors)
  return {
    content,
    record: {
      ...chosen,
      ...deriveLifecycle(stored, chosen, context.now),
      ...(worth ? { worth: worth.code } : {}),
    },
    changes: describeChanges(stored, chosen, content),
  }
}

/** As `/pin` does. A pin would keep history beyond its retention. */
function requireNoHistory(stored: StoredRecord, successors: Successors): void {
  if (isHistory(stored.status)) throw createHistoryError(stored, successors, ', so it cannot be pinned.')
}

/** A named importance takes the place of the judgement. Null judges by the content, without what was said before. */
function chooseWorth({ base_importance: given }: RecordPatch, payload: Payload): Worth | undefined {
  if (given === undefined) return undefined
  return given === null ? judgeWorth(payload) : { value: given, code: namedWorth }
}

/** RFC 7396: an absent member means no change, null means the default. */
function replaceNull<T>(value: T | null | undefined, fallback: T): T | undefined {
  return value === null ? fallback : value
}

function resolveTags({ tags }: RecordPatch): string[] | undefined {
  return tags === undefined ? undefined : [...new Set(tags)]
}

function resolveTrust(stored: StoredRecord, patch: RecordPatch, { caller, defaultSensitivity }: Context) {
  const sensitivity = replaceNull(patch.sensitivity, defaultSensitivity)
  if (sensitivity !== undefined) {
    requireCeiling(caller, sensitivity)
    requireNotLowered(caller, stored.sensitivity, sensitivity)
  }
  const scope = replaceNull(patch.scope, unscoped)
  if (scope !== undefined && scope !== stored.scope) requireScope(caller, scope)
  return { sensitivity, scope }
}

function resolveFields(stored: StoredRecord, patch: RecordPatch, policies: Policies) {
  const { lifecycle = {} } = patch
  const decay = lifecycle.decay ?? {}
  const policy = policies[stored.type]
  return {
    confidence: replaceNull(patch.confidence, defaultConfidence),
    memory_kind: replaceNull(patch.memory_kind, defaultKinds[stored.type]),
    emotional_valence: replaceNull(patch.emotional_valence, 0),
    curve: replaceNull(decay.curve, policy.decay.curve),
    half_life_seconds: replaceNull(decay.half_life_seconds, policy.decay.half_life_seconds),
    min_salience: replaceNull(decay.min_salience, policy.decay.min_salience),
    max_age_seconds: replaceNull(decay.max_age_seconds, policy.decay.max_age_seconds),
    reinforcement_gain: replaceNull(decay.reinforcement_gain, policy.decay.reinforcement_gain),
    // Here null is a value: no upper bound.
    max_salience: decay.max_salience,
    pinned: replaceNull(lifecycle.pinned, false),
    deletion_policy: replaceNull(lifecycle.deletion_policy, policy.deletion_policy),
  }
}

type Fields = { [K in keyof StoredRecord]?: StoredRecord[K] | undefined }
type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function pickChanged<T extends Fields>(stored: StoredRecord, chosen: T): Defined<T> {
  const entries = Object.entries(chosen).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, stored[name as keyof StoredRecord]),
  )
  return Object.fromEntries(entries) as Defined<T>
}

const curveFields = ['curve', 'half_life_seconds', 'min_salience', 'max_age_seconds', 'pinned'] as const

/** A new curve starts at the current salience. A patch that does not change the curve keeps the anchor. */
function deriveLifecycle(stored: StoredRecord, chosen: Partial<RecordRow>, now: Date): Partial<RecordRow> {
  const changesCurve = curveFields.some((name) => chosen[name] !== undefined)
  if (!changesCurve && chosen.deletion_policy === undefined) return {}
  const anchor = changesCurve ? { base_salience: computeSalience(stored, now), anchored_at: now } : {}
  const life = { ...stored, ...chosen, ...anchor }
  const expires = { expires_at: computeExpiry(stored.created_at, life.max_age_seconds) }
  const updated = { ...life, ...expires }
  return {
    ...anchor,
    ...expires,
    salience: computeSalience(updated, now),
    prune_at: computePruneAt(updated),
  }
}

const lifecycleMembers = new Set(['pinned', 'deletion_policy'])

function describeChanges(
  stored: StoredRecord,
  record: Partial<RecordRow>,
  { payload, tags }: Partial<ContentRow>,
): PatchResult['changes'] {
  const plain = Object.entries(record).map(([name, after]): [string, [unknown, unknown]] => [
    formatChangePath(name),
    [stored[name as keyof StoredRecord], after],
  ])
  return {
    ...Object.fromEntries(plain),
    ...(tags ? { tags: [stored.tags, tags] } : {}),
    ...(payload ? describePayload(stored.payload, payload) : {}),
  }
}

function formatChangePath(name: string): string {
  if (lifecycleMembers.has(name)) return `lifecycle.${name}`
  return name in Decay.properties ? `lifecycle.decay.${name}` : name
}

export function describePayload(before: Payload, after: Payload): PatchResult['changes'] {
  const members = new Set([...Object.keys(before), ...Object.keys(after)])
  const pairs = [...members].map((name): [string, [unknown, unknown]] => [
    `payload.${name}`,
    [Reflect.get(before, name) ?? null, Reflect.get(after, name) ?? null],
  ])
  return Object.fromEntries(pairs.filter(([, [left, right]]) => !isDeepStrictEqual(left, right)))
}
