import type { Transaction } from '../db/transaction.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { SemanticPayload } from '../domain/payloads.ts'
import { isHistory } from '../domain/vocabulary.ts'
import { AppError } from '../kernel/errors.ts'
import {
  type HandleLookupResult,
  type KnownRecord,
  loadManyForUpdate,
  lookUpHandles,
  type StoredRecord,
} from '../records/index.ts'
import { findSuccessor } from '../revision/index.ts'
import { findReferenced } from './capture.queries.ts'
import type { Setting } from './capture-context.ts'
import { type Fate, judgeFact } from './fact-outcome.ts'
import { type Answered, wantHandles } from './handle-lookup.ts'
import { recordIdIn } from './mentions.ts'

/** What is known already of what a capture names, and held so until its transaction ends. */

export type Subject = {
  ref?: string | undefined
  thread?: string | undefined
  fact?: SemanticPayload | undefined
  interpretation: Interpretation
}

export type Survey = {
  known: Answered
  /** Captured before by this source under this reference. */
  repeated: KnownRecord | undefined
  /** Of the fact: what becomes of it, and the locked record that already says it. */
  fate: Fate | undefined
  stood: StoredRecord | undefined
}

/** One round trip for all that is named, and one more for the fact that is told again. */
export async function surveyCapture(tx: Transaction, setting: Setting, subject: Subject): Promise<Survey> {
  const { wanted, pick } = wantHandles({ ...setting, ...subject, mentions: subject.interpretation.mentions })
  // As often as a fact could be withdrawn between a look and the lock on it; each time another one stands.
  for (let attempt = 1; attempt <= 10; attempt++) {
    const known = pick(wanted.length === 0 ? nothing : await lookUpHandles(tx, wanted, setting.sensitivity))
    const repeated = known.reference?.known.find(({ scope }) => scope === setting.scope)
    if (repeated) return { known, repeated, fate: undefined, stood: undefined }
    if (!subject.fact || !known.topic) return { known, repeated, fate: undefined, stood: undefined }
    const fate = await followMerged(tx, setting, judgeFact(subject.fact, known.topic.known, setting))
    const target = standingOf(fate)
    if (target === undefined) return { known, repeated, fate, stood: undefined }
    const [stood] = await loadManyForUpdate(tx, { caller: setting.caller }, [target])
    if (stood && !(stood instanceof AppError) && !isHistory(stood.status) && isOfPlace(stood, setting))
      return { known, repeated, fate, stood }
  }
  throw new Error('what is known was withdrawn each time it was looked at')
}

/** Without a name there is nobody to be looked for; the insert asks itself what was erased. */
const nothing: HandleLookupResult = { matches: [], mayBeErased: true }

/**
 * What was folded into another record is said by that one now, or by what that was folded into. Where it ends in one
 * that was withdrawn the fact was withdrawn with it; in none that the readers of the capture may see, it is new.
 */
async function followMerged(tx: Transaction, setting: Setting, fate: Fate): Promise<Fate> {
  if (fate.outcome !== 'merged') return fate
  const seen = new Set<string>()
  for (let id: string | undefined = fate.id; id !== undefined && !seen.has(id); ) {
    seen.add(id)
    const next: string | undefined = await findSuccessor(tx, id, amongOf(setting).trust)
    const heir = next === undefined ? undefined : await claimHeard(tx, setting, next)
    if (!heir) return { outcome: 'created' }
    if (!isHistory(heir.status)) return { outcome: 'confirmed', id: heir.id }
    if (heir.status !== 'merged') {
      return { outcome: 'challenged', ...(fate.other === undefined ? {} : { other: fate.other }) }
    }
    id = heir.id
  }
  return { outcome: 'created' }
}

function isOfPlace(
  { scope, sensitivity }: Pick<StoredRecord, 'scope' | 'sensitivity'>,
  place: Pick<Setting, 'scope' | 'sensitivity'>,
): boolean {
  return scope === place.scope && sensitivity === place.sensitivity
}

/** A merge may have made it more confidential than what was folded into it, or moved it to another scope. */
async function claimHeard(tx: Transaction, setting: Setting, id: string): Promise<StoredRecord | undefined> {
  const [stored] = await loadManyForUpdate(tx, { caller: setting.caller }, [id])
  if (!stored || stored instanceof AppError) return undefined
  return isOfPlace(stored, setting) ? stored : undefined
}

/** The record that must stay as it was seen until this is over. */
function standingOf(fate: Fate): string | undefined {
  if (fate.outcome === 'confirmed') return fate.id
  return 'policy' in fate ? fate.other : undefined
}

/** Of the references, in their places, the records they lead to. */
export async function resolveReferences(
  tx: Transaction,
  setting: Setting,
  { reference_candidates: candidates }: Interpretation,
): Promise<(string | undefined)[]> {
  const ids = candidates.map(({ ref, target_record_id: told }) => told ?? recordIdIn(ref))
  const asked = ids.filter((id) => id !== undefined)
  if (asked.length === 0) return ids
  const found = await findReferenced(tx, asked, amongOf(setting))
  return ids.map((id) => (id !== undefined && found.has(id) ? id : undefined))
}

/** What evidence may point at, its readers may see. */
export function amongOf({ caller, scope, sensitivity }: Setting) {
  return { trust: { ...caller.trust, maxSensitivity: sensitivity }, scope }
}
