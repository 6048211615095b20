import { isUuid } from '../../kernel/ids.ts'
import { maskPayload } from '../secrets/masked-payload.ts'
import { maskMembers, maskText, replaceNamedObject } from '../secrets/masking.ts'
import { isPlainMessage, readContent } from './message-content.ts'
import type { Payload } from './payloads.ts'

/**
 * PostgreSQL rejects a tsvector over 1 MiB. A word is indexed whole and by its parts, which at most triples it, so
 * this many bytes always fit. Text beyond them is stored but not found by words.
 */
const maxBytes = 256 * 1_024

/**
 * The text by which a record is found: summaries, facts, names, tags, tool names, results and captured content.
 * Secrets are masked, and the arguments of a tool are left out.
 */
export function writeSearchableText(payload: Payload, tags: readonly string[]): string {
  // Each text once: a captured text often equals the summary of its own event, and would count twice.
  const words = new Set([...listPayloadWords(payload), ...tags])
  const text = [...words].map(removeSecrets).join('\n')
  // As its words are indexed, because a character such as `㌖` becomes six.
  const bytes = Buffer.from(text.normalize('NFKC'))
  if (bytes.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return text
  // A character that is cut in half decodes to U+FFFD, which is not a word.
  return bytes.subarray(0, maxBytes).toString()
}

/** More of one text is not judged. */
const maxJudged = 4_096

/**
 * The words by which the worth of a payload is judged. Names of events, references, secrets and ids are left out: the
 * letters of an id would change the worth of a fact.
 */
export function writeJudgedText(payload: Payload): string {
  const words = payload.kind === 'episodic' ? listJudgedWords(payload) : listPayloadWords(payload)
  const said = [...new Set(words)].filter((each) => !isUuid(each))
  return said.map((each) => removeSecrets(each.slice(0, maxJudged))).join('\n')
}

function listJudgedWords(payload: Extract<Payload, { kind: 'episodic' }>): string[] {
  const results = payload.tool_graph.map((node) => flatten(node.result))
  if (isPlainMessage(payload)) return [readContent(payload), ...results]
  return [
    ...payload.timeline.map((event) => event.summary ?? ''),
    ...results,
    ...listTexts(payload.environment?.context),
  ]
}

/** Masks secrets and removes the masks, because no record should be found by the words of a mask. */
function removeSecrets(text: string): string {
  const masked = maskText(text.slice(0, maxBytes))
  return masked.includes('<secret') ? masked.replace(/<secret [a-z]+>/g, '') : masked
}

/**
 * Whether a payload contains something that looks like a secret. An episode may: it keeps what was captured.
 */
export function holdsSecret(payload: Payload): boolean {
  if (payload.kind === 'episodic') return false
  return JSON.stringify(maskPayload(payload)) !== JSON.stringify(payload)
}

function listPayloadWords(payload: Payload): string[] {
  switch (payload.kind) {
    case 'episodic': {
      const calls = payload.tool_graph.flatMap((node) => [node.tool, flatten(node.result)])
      // A message is searched by its writer and what it says alone: a word that every message has would only lengthen it.
      if (isPlainMessage(payload)) return [payload.conversation?.name ?? '', readContent(payload), ...calls]
      return [
        ...payload.timeline.flatMap((event) => [event.event_kind, event.summary ?? '', event.ref]),
        ...calls,
        ...payload.artifacts,
        ...listTexts(payload.environment?.context),
      ]
    }
    case 'working':
      return [
        payload.context_summary ?? '',
        ...payload.next_actions,
        ...payload.open_questions,
        ...payload.active_constraints.flatMap(({ key, value }) => [key, flatten({ [key]: value })]),
      ]
    case 'semantic':
      return [payload.subject, payload.predicate, flatten(replaceNamedObject(payload))]
    case 'competence':
      return [
        payload.skill_name,
        ...payload.triggers.map((trigger) => trigger.signal),
        ...payload.recipe.flatMap((step) => [step.step, step.tool ?? '']),
        ...payload.required_tools,
        ...payload.failure_modes,
        ...payload.fallbacks,
      ]
    case 'plan_graph':
      return [payload.plan_id, payload.intent ?? '', ...payload.nodes.map((node) => node.op)]
    case 'entity':
      return [
        payload.canonical_name,
        payload.primary_type,
        ...payload.types,
        ...payload.aliases.map((alias) => alias.value),
        ...payload.identifiers.map((identifier) => identifier.value),
        payload.summary ?? '',
      ]
  }
}

function flatten(value: unknown): string {
  return listTexts(value).join(' ')
}

/**
 * Every string and number inside a JSON value, without keys and secrets, until the limit is reached. It uses its own
 * stack, because the value may nest deep, and reads members one by one, because there may be millions.
 */
function listTexts(value: unknown): string[] {
  const words: string[] = []
  let left = maxBytes
  const stack: Iterator<unknown>[] = [[value].values()]
  for (let top = stack.at(-1); top && left > 0; top = stack.at(-1)) {
    const { done, value: next } = top.next()
    if (done) stack.pop()
    else if (typeof next === 'object' && next !== null) stack.push(readMembers(next))
    else if (typeof next === 'string' || typeof next === 'number') {
      // A text that contains JSON is masked by its keys here, because its keys are lost when it is joined with
      // others.
      const word = typeof next === 'string' ? maskText(next.slice(0, maxBytes)) : String(next)
      words.push(word)
      left -= word.length + 1
    }
  }
  return words
}

/** The arguments of a tool call that was captured as plain content. */
const callMembers = new Set<string | undefined>(['args', 'arguments'])

function* readMembers(container: object): Generator<unknown> {
  for (const [key, member] of maskMembers(container)) if (!callMembers.has(key)) yield member
}
