import { hash } from 'node:crypto'
import { identifyMessage } from '../payloads/message-content.ts'
import type { MessagePlace } from '../payloads/message-place.ts'
import type { Payload } from '../payloads/payloads.ts'
import { digestStructure, type Graph } from '../procedures/plan-structure.ts'
import { dropRepeats } from '../procedures/tool-sequence.ts'
import { type Sensitivity, unscoped } from '../trust/caller.ts'
import { listStatementSpellings, normaliseName } from '../words/names.ts'
import { isDenial, listNegations } from '../words/negation.ts'
import { normaliseJson } from './normalise-json.ts'

/**
 * A handle identifies what a record is about: the names and identifiers of an entity, the topic of a fact, the thread
 * of a task, the tools of a skill, the structure of a plan, the source reference of captured evidence. It is a
 * digest, because a name may be longer than an index entry.
 */
export type Handle = {
  digest: Buffer
  /** The digest of the object of a fact; null for other records. */
  detail: Buffer | null
  /**
   * The number of this record among those with the same name in one scope. The index is unique, so two writers cannot
   * take the same number.
   */
  place: number | null
}

/** Whether two records with one handle say the same; false where it has no detail. */
export function hasSameDetail(one: Pick<Handle, 'detail'>, other: Pick<Handle, 'detail'>): boolean {
  return one.detail !== null && other.detail !== null && one.detail.equals(other.detail)
}

export function nameHandle(name: string): Handle {
  return createHandle(['name', normaliseName(name)])
}

export function createThreadHandle(threadId: string): Handle {
  return createHandle(['thread', threadId])
}

/**
 * The sensitivity is part of the digest: a caller who repeats a reference that it may not see must not learn that the
 * reference exists.
 */
export function createReferenceHandle(source: string, ref: string, sensitivity: Sensitivity): Handle {
  return createHandle(['reference', source, ref, sensitivity])
}

/** The episode is part of the digest, because the same reference may also name the evidence. */
export function createVerdictHandle(source: string, ref: string, episode: string): Handle {
  return createHandle(['verdict', source, ref, episode])
}

/** A message by its id; the detail shows whether a stored message of that id has the same content. */
export function createMessageHandle(place: MessagePlace, content: string): Handle {
  const known = createHandle(['message', place.id, place.message_id])
  return { ...known, detail: computeDigest([place.role, place.name ?? null, content]) }
}

export type Fact = { subject: string; predicate: string; object?: unknown }

/** The predicate of a fact that is a text in plain words. */
export const notePredicate = 'note'
/** The predicate of an event that was stored as a fact. Two events of one kind do not contradict each other. */
export const observedPredicate = 'observed_in'
/** Begins the reference of a fact that is a relation of an imported graph, where a thing may have several of one kind. */
export const graphRelationRef = 'mcp-memory:relation:'
/**
 * Predicates with which one subject has several objects, such as "likes", "knows" or "speaks". Objects of other predicates, such as
 * "lives in", contradict each other.
 */
const listPredicate =
  /^(?:also )?(?:likes?|loves?|enjoys?|hates?|dislikes?|knows?|speaks?|(?:has )?visited|(?:has )?read|(?:is |are )?(?:allergic to|interested in|good at|afraid of|a fan of|fan of))$/

/** Whether facts with this predicate can hold beside each other, unless a policy says something else. So do denials. */
export function isListPredicate(predicate: string): boolean {
  return isDenial(predicate) || listPredicate.test(normaliseName(predicate).replaceAll('_', ' '))
}

/** The subject of a note that has neither a topic nor a scope. */
export const noTopic = 'memory'

/** The subject of a note that has no topic. */
export function nameDefaultTopic(scope: string): string {
  return scope === unscoped ? noTopic : scope
}

/** Whether a fact is a text in plain words. */
export function isNote<F extends Fact>(fact: F): fact is F & { object: string } {
  return typeof fact.object === 'string' && normaliseName(fact.predicate) === notePredicate
}

export function createFactHandle(fact: Fact): Handle {
  // A note is its own topic: two notes about one subject do not contradict each other.
  if (isNote(fact)) return addObjectDetail(['', notePredicate, normaliseName(fact.object)], fact.object)
  return createTopicHandle(fact)
}

/**
 * The handles under which a fact may be stored that says the same or denies it, its own first. A stored fact has the digest of
 * its own spelling, as in stores of earlier versions; so what says nothing is ignored where it is looked up: a full stop at
 * the end of a note, and "the" before a subject.
 */
export function listFactHandles(fact: Fact): Handle[] {
  const own = createFactHandle(fact)
  const others = listOtherSpellings(fact).map((other) => createFactHandle(other))
  return [own, ...others.filter(({ digest }) => !digest.equals(own.digest))]
}

function listOtherSpellings(fact: Fact): Fact[] {
  if (isNote(fact)) return listStatementSpellings(fact.object).map((object) => ({ ...fact, object }))
  const subject = normaliseName(fact.subject)
  const other = subject.startsWith('the ') ? subject.slice(4) : `the ${subject}`
  const negations = listNegations(fact.predicate).map((predicate) => ({ ...fact, predicate }))
  return [{ ...fact, subject: other }, ...negations]
}

/** The handle of any fact by its subject and predicate, which notes stored by version 0.1 have too. */
export function createTopicHandle({ subject, predicate, object }: Fact): Handle {
  return addObjectDetail([normaliseName(subject), normaliseName(predicate)], object)
}

function addObjectDetail(topic: readonly string[], object: unknown): Handle {
  return { ...createHandle(['topic', ...topic]), detail: computeDigest(normaliseJson(object, normaliseName)) }
}

/** The tools of a skill in their order, without direct repetitions. */
export function createRecipeHandle(tools: readonly string[]): Handle {
  return createHandle(['recipe', ...dropRepeats(tools)])
}

export function createStructureHandle(graph: Graph): Handle {
  return createHandle(['structure', digestStructure(graph)])
}

/** Returns every handle of a payload, without duplicates. */
export function listHandles(payload: Payload): Handle[] {
  switch (payload.kind) {
    case 'entity': {
      const names = [payload.canonical_name, ...payload.aliases.map(({ value }) => value)]
      const marks = payload.identifiers.flatMap(({ namespace, value }) => [value, `${namespace}:${value}`])
      return [...new Set([...names, ...marks].map(normaliseName))].map(nameHandle)
    }
    case 'semantic':
      return [createFactHandle(payload)]
    case 'working':
      return [createThreadHandle(payload.thread_id)]
    case 'competence': {
      const tools = payload.recipe.flatMap(({ tool }) => tool ?? [])
      return tools.length === 0 ? [] : [createRecipeHandle(tools)]
    }
    case 'plan_graph':
      return payload.nodes.length === 0 ? [] : [createStructureHandle(payload)]
    case 'episodic':
      return payload.conversation ? [createMessageHandle(payload.conversation, identifyMessage(payload))] : []
  }
}

function createHandle(parts: readonly string[]): Handle {
  return { digest: computeDigest(parts), detail: null, place: null }
}

/** 128 bits: an accidental collision is out of reach, and an index entry stays small. */
function computeDigest(value: unknown): Buffer {
  return hash('sha256', JSON.stringify(value) ?? '', 'buffer').subarray(0, 16)
}
