import {
  createReferenceHandle,
  type Handle,
  listFactHandles,
  nameHandle,
} from '../domain/identity/handles.ts'
import type { SemanticPayload } from '../domain/payloads/payloads.ts'
import { compareTexts } from '../kernel/text-order.ts'
import {
  type HandleLookup,
  type HandleLookupResult,
  type HandleMatch,
  type KnownRecord,
  mergeLookups,
} from '../records/index.ts'
import type { CaptureContext } from './capture-context.ts'
import { type Mention, maxNameLength } from './interpretation/mention-list.ts'

/** The names by which a capture looks up known records. */
export type CaptureNames = {
  ref?: string | undefined
  fact?: SemanticPayload | undefined
  mentions: readonly Mention[]
}
type LookupInput = CaptureNames & Pick<CaptureContext, 'source' | 'scope' | 'requestedSensitivity'>

export type LookupResult = {
  reference: HandleMatch | undefined
  topic: HandleMatch | undefined
  /** One entry per mention, in the order of the mentions. */
  mentions: readonly (HandleMatch | undefined)[]
  /** The entities that the object of the fact may name. */
  object: HandleMatch | undefined
  mayBeErased: boolean
}

export type LookupPlan = { handles: HandleLookup[]; readFindings(findings: HandleLookupResult): LookupResult }

/**
 * Lists the handles to look up. Those of a reference and a topic are locked even if they are known, because the next steps
 * depend on all records that have them.
 */
export function planHandleLookup(input: LookupInput): LookupPlan {
  const reference =
    input.ref === undefined
      ? undefined
      : createReferenceHandle(input.source, input.ref, input.requestedSensitivity)
  const topics = input.fact ? listFactHandles(input.fact) : []
  const names = input.mentions.map((mention) =>
    mention.canonical_entity_id === undefined ? nameHandle(mention.surface) : undefined,
  )
  const object = getObjectHandle(input.fact)
  const request = (handles: readonly (Handle | undefined)[], lock: HandleLookup['lock']) =>
    handles.flatMap((each) => (each ? [{ ...each, scope: input.scope, lock }] : []))
  const handles = mergeLookups([
    ...request([object], 'never'),
    ...request([reference, ...topics], 'always'),
    ...request(names, 'if_unused'),
  ])
  const places = new Map(handles.map(({ digest }, index) => [digest.toString('hex'), index]))
  const find = (matches: readonly HandleMatch[], handle: Handle | undefined) =>
    handle && matches[places.get(handle.digest.toString('hex')) ?? -1]
  return {
    handles,
    readFindings: ({ matches, mayBeErased }) => ({
      mayBeErased,
      reference: find(matches, reference),
      topic: mergeMatches(topics.map((each) => find(matches, each))),
      mentions: names.map((each) => find(matches, each)),
      object: find(matches, object),
    }),
  }
}

/** As one match: those with the same object, then the newest first. Undefined if nothing was looked up. */
function mergeMatches(found: readonly (HandleMatch | undefined)[]): HandleMatch | undefined {
  const [first, ...others] = found.filter((each) => each !== undefined)
  if (!first || others.length === 0) return first
  const known = [first, ...others].flatMap((each) => each.known)
  return { ...first, known: known.sort(compareKnown) }
}

function compareKnown(one: KnownRecord, other: KnownRecord): number {
  return Number(other.is_same) - Number(one.is_same) || compareTexts(other.id, one.id)
}

/** The object of a fact may be a plain value, so its handle is looked up without a lock. */
function getObjectHandle(fact: SemanticPayload | undefined): Handle | undefined {
  const object = fact?.object
  const isName = typeof object === 'string' && object.trim() !== '' && object.length <= maxNameLength
  return isName ? nameHandle(object) : undefined
}

/** Returns the handle by which a retry of this capture is recognised. Empty if the source gave no reference. */
export function buildReferenceHandles(
  { source, requestedSensitivity }: CaptureContext,
  ref: string | undefined,
  match: HandleMatch | undefined,
): Handle[] {
  if (ref === undefined || !match) return []
  return [{ ...createReferenceHandle(source, ref, requestedSensitivity), place: match.nextPlace }]
}
