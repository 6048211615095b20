import type { Transaction } from '../db/transaction.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { SemanticPayload } from '../domain/payloads/payloads.ts'
import { isHistory } from '../domain/schemas/vocabulary.ts'
import { hasSameVisibility } from '../domain/trust/caller.ts'
import { AppError } from '../kernel/errors.ts'
import {
  findSuccessor,
  type HandleLookupResult,
  type KnownRecord,
  loadManyForUpdate,
  lookUpHandles,
  type StoredRecord,
} from '../records/index.ts'
import { findReadableIds } from './capture.queries.ts'
import { type CaptureContext, createReaderFilter } from './capture-context.ts'
import { decideFactOutcome, type FactOutcome, getIdToLock } from './facts/fact-outcome.ts'
import { type CaptureNames, type LookupResult, planHandleLookup } from './handle-lookup.ts'
import { parseReferenceIds } from './interpretation/interpretation-targets.ts'

/** Finds the stored records that a capture names, and locks them until the transaction ends. */

export type KnownRecords = {
  handles: LookupResult
  /** The earlier capture with the same source, scope and reference. */
  earlierCapture: KnownRecord | undefined
  /** The outcome for the fact, and the locked record that already states it. */
  factOutcome: FactOutcome | undefined
  existingFact: StoredRecord | undefined
}

/** Takes one round trip for all handles and a second one if the fact is already known. */
export async function findKnownRecords(
  tx: Transaction,
  context: CaptureContext,
  names: CaptureNames,
): Promise<KnownRecords> {
  const { handles: requested, readFindings } = planHandleLookup({ ...context, ...names })
  // A fact may be withdrawn between the lookup and its lock; then the lookup is repeated.
  for (let attempt = 1; attempt <= 10; attempt++) {
    const handles = readFindings(
      requested.length === 0 ? noFindings : await lookUpHandles(tx, requested, context.sensitivity),
    )
    const decided = decideByHandles(context, names.fact, handles)
    if (decided.earlierCapture || !decided.factOutcome)
      return { handles, ...decided, existingFact: undefined }
    const factOutcome = await resolveMergedFact(tx, context, decided.factOutcome)
    const target = getIdToLock(factOutcome)
    if (target === undefined) return { handles, ...decided, factOutcome, existingFact: undefined }
    const [found] = await loadManyForUpdate(tx, { caller: context.caller }, [target])
    const existingFact = asStatedFact(context, found)
    if (existingFact) return { handles, ...decided, factOutcome, existingFact }
  }
  throw new Error('the known fact was withdrawn in each of ten attempts to lock it')
}

/** Decides by the records that have the names of a capture whether it repeats another one, and what becomes of its fact. */
export function decideByHandles(
  context: CaptureContext,
  fact: SemanticPayload | undefined,
  handles: LookupResult,
): Pick<KnownRecords, 'earlierCapture' | 'factOutcome'> {
  const earlierCapture = handles.reference?.known.find(({ scope }) => scope === context.scope)
  const topic = earlierCapture ? undefined : handles.topic
  return {
    earlierCapture,
    factOutcome: fact && topic ? decideFactOutcome(fact, topic.known, context) : undefined,
  }
}

/** The locked record of a known fact, unless it was withdrawn between the lookup and its lock. */
export function asStatedFact(
  context: CaptureContext,
  found: StoredRecord | AppError | undefined,
): StoredRecord | undefined {
  if (!found || found instanceof AppError || isHistory(found.status)) return undefined
  return hasSameVisibility(found, context) ? found : undefined
}

/** Without a name there is nothing to look up. The insert then checks by itself what was erased. */
export const noFindings: HandleLookupResult = { matches: [], mayBeErased: true }

/**
 * A merged fact is now stated by the record it was merged into, which may be merged itself. If the last record of
 * that chain is withdrawn, the fact counts as withdrawn. If readers of the capture may not see a record of the chain,
 * the fact is new.
 */
async function resolveMergedFact(
  tx: Transaction,
  context: CaptureContext,
  factOutcome: FactOutcome,
): Promise<FactOutcome> {
  if (factOutcome.outcome !== 'merged') return factOutcome
  const seen = new Set<string>()
  for (let id: string | undefined = factOutcome.id; id !== undefined && !seen.has(id); ) {
    seen.add(id)
    const next: string | undefined = await findSuccessor(tx, id, createReaderFilter(context).trust)
    const successor = next === undefined ? undefined : await lockVisibleRecord(tx, context, next)
    if (!successor) return { outcome: 'created' }
    if (!isHistory(successor.status)) return { outcome: 'confirmed', id: successor.id }
    if (successor.status !== 'merged') return { outcome: 'challenged', other: factOutcome.other }
    id = successor.id
  }
  return { outcome: 'created' }
}

/** A merge may have given the record a higher sensitivity or another scope. */
async function lockVisibleRecord(
  tx: Transaction,
  context: CaptureContext,
  id: string,
): Promise<StoredRecord | undefined> {
  const [stored] = await loadManyForUpdate(tx, { caller: context.caller }, [id])
  if (!stored || stored instanceof AppError) return undefined
  return hasSameVisibility(stored, context) ? stored : undefined
}

/** Returns the record that each reference leads to, in the order of the references. */
export async function resolveReferences(
  tx: Transaction,
  context: CaptureContext,
  interpretation: Interpretation,
): Promise<(string | undefined)[]> {
  const ids = parseReferenceIds(interpretation)
  const requestedIds = ids.filter((id) => id !== undefined)
  if (requestedIds.length === 0) return ids
  const found = await findReadableIds(tx, requestedIds, createReaderFilter(context))
  return ids.map((id) => (id !== undefined && found.has(id) ? id : undefined))
}
