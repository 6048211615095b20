import type { Transaction } from '../../db/transaction.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { compareTexts } from '../../kernel/text-order.ts'
import {
  formatLookupKey,
  type HandleMatch,
  loadManyForUpdate,
  lookUpHandles,
  mergeLookups,
  type StoredRecord,
} from '../../records/index.ts'
import type { CaptureContext } from '../capture-context.ts'
import { getIdToLock } from '../facts/fact-outcome.ts'
import { type LookupPlan, planHandleLookup } from '../handle-lookup.ts'
import type { InterpretedEpisode } from '../interpretation/interpretation.service.ts'
import { asStatedFact, decideByHandles, type KnownRecords, noFindings } from '../known-records.service.ts'
import type { EpisodePlan } from '../planning/capture-plan.ts'
import { reserveAll } from './reserved-keys.ts'

/** A capture whose known records are found and locked. */
export type FoundCapture = InterpretedEpisode & { known: KnownRecords; lookup: LookupPlan }

/**
 * Finds and locks the known records of several captures of one sensitivity with one lookup. Undefined for a capture that
 * must run alone: it repeats an earlier one, it has a reference or topic of another of these, or its fact was merged or
 * withdrawn meanwhile.
 */
export async function findKnownTogether(
  tx: Transaction,
  captures: readonly InterpretedEpisode[],
): Promise<(FoundCapture | undefined)[]> {
  const plans = captures.map((each) => ({ ...each, lookup: planLookup(each) }))
  const lookups = mergeLookups(plans.flatMap(({ lookup }) => lookup.handles))
  const [first] = captures
  if (!first) return []
  const { matches, mayBeErased } =
    lookups.length === 0 ? noFindings : await lookUpHandles(tx, lookups, first.context.sensitivity)
  const byKey = new Map(lookups.map((each, index) => [formatLookupKey(each), matches[index]]))
  const takenKeys = new Set<string>()
  const found = plans.map((each) => {
    if (!reserveAll(takenKeys, listLockedKeys(each.lookup))) return undefined
    const known = readKnown(each, byKey, mayBeErased)
    return known && { ...each, known }
  })
  return lockFacts(tx, found)
}

function planLookup({ context, plan, interpretation }: InterpretedEpisode): LookupPlan {
  return planHandleLookup({ ...context, ref: plan.ref, fact: plan.fact, mentions: interpretation.mentions })
}

/** The reference and the topic. If another capture has one of them, this one must see what that one stored. */
function listLockedKeys({ handles }: LookupPlan): string[] {
  return handles.filter(({ lock }) => lock === 'always').map(formatLookupKey)
}

function readKnown(
  { lookup, context, plan }: { lookup: LookupPlan; context: CaptureContext; plan: EpisodePlan },
  byKey: ReadonlyMap<string, HandleMatch | undefined>,
  mayBeErased: boolean,
): KnownRecords | undefined {
  const matches = lookup.handles.map(
    (each) => byKey.get(formatLookupKey(each)) ?? { nextPlace: 0, known: [] },
  )
  const handles = lookup.readFindings({ matches, mayBeErased })
  const decided = decideByHandles(context, plan.fact, handles)
  if (decided.earlierCapture || decided.factOutcome?.outcome === 'merged') return undefined
  return { handles, ...decided, existingFact: undefined }
}

type Target = { id: string; each: FoundCapture }

/** Locks the facts of all captures in the order of their ids. */
async function lockFacts(
  tx: Transaction,
  found: readonly (FoundCapture | undefined)[],
): Promise<(FoundCapture | undefined)[]> {
  const targets = found.flatMap((each) => {
    const id = each?.known.factOutcome && getIdToLock(each.known.factOutcome)
    return each && id !== undefined ? [{ id, each }] : []
  })
  const locked = new Map<FoundCapture, StoredRecord | undefined>()
  for (const { caller, members } of groupByTrust(targets)) {
    const records = await loadManyForUpdate(
      tx,
      { caller },
      members.map(({ id }) => id),
    )
    for (const [index, { each }] of members.entries())
      locked.set(each, asStatedFact(each.context, records[index]))
  }
  return found.map((each) => {
    if (!each || !locked.has(each)) return each
    const existingFact = locked.get(each)
    return existingFact && { ...each, known: { ...each.known, existingFact } }
  })
}

/** In the order of the ids, so that neighbours that callers see alike are locked and read together. */
function groupByTrust(targets: readonly Target[]): { caller: Caller; members: Target[] }[] {
  const groups: { caller: Caller; members: Target[] }[] = []
  for (const target of targets.toSorted((one, other) => compareTexts(one.id, other.id))) {
    const { caller } = target.each.context
    const last = groups.at(-1)
    if (last?.caller.trust === caller.trust) last.members.push(target)
    else groups.push({ caller, members: [target] })
  }
  return groups
}
