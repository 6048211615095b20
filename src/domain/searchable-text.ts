import { maskFact, maskMembers, maskSecrets, maskText } from './masking.ts'
import type { Payload } from './payloads.ts'

/**
 * PostgreSQL refuses a tsvector over 1 MiB. A word can be indexed whole and by its parts, which at most
 * triples it, so this many bytes always fit; what lies beyond them is kept but not found by text.
 */
const maxBytes = 256 * 1_024

/**
 * The words a record can be found by: summaries, facts, names, tags, tool names, results and what else was captured.
 * Secrets are masked, and what a tool was called with is no word of it.
 */
export function searchableText(payload: Payload, tags: readonly string[]): string {
  // Each once: a captured text is often the summary of its own event, and would weigh twice.
  const words = new Set([...wordsOf(payload), ...tags])
  const text = [...words].map(maskWords).join('\n')
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  // A character cut in half decodes to U+FFFD, which is no word.
  return bytes.subarray(0, maxBytes).toString()
}

/** A mask is no word that anything should be found by. */
function maskWords(text: string): string {
  const masked = maskText(text.slice(0, maxBytes))
  return masked.includes('<secret') ? masked.replace(/<secret [a-z]+>/g, '') : masked
}
/** Whether something looks like a secret in what is no episode. An episode keeps what was captured as it came. */
export function holdsSecret(payload: Payload): boolean {
  if (payload.kind === 'episodic') return false
  const masked = payload.kind === 'semantic' ? maskSecrets(maskFact(payload)) : maskSecrets(payload)
  return JSON.stringify(masked) !== JSON.stringify(payload)
}

function wordsOf(payload: Payload): string[] {
  switch (payload.kind) {
    case 'episodic':
      return [
        ...payload.timeline.flatMap((event) => [event.event_kind, event.summary ?? '', event.ref]),
        ...payload.tool_graph.flatMap((node) => [node.tool, flatten(node.result)]),
        ...payload.artifacts,
        ...wordsIn(payload.environment?.context),
      ]
    case 'working':
      return [
        payload.context_summary ?? '',
        ...payload.next_actions,
        ...payload.open_questions,
        ...payload.active_constraints.flatMap(({ key, value }) => [key, flatten({ [key]: value })]),
      ]
    case 'semantic':
      return [payload.subject, payload.predicate, flatten(maskFact(payload).object)]
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
  return wordsIn(value).join(' ')
}

/**
 * Every string and number inside any JSON, keys and secrets left out, until there are more than can be indexed. With a
 * stack of its own, for the value may nest deep, and one by one, for there may be millions.
 */
function wordsIn(value: unknown): string[] {
  const words: string[] = []
  let left = maxBytes
  const stack: Iterator<unknown>[] = [[value].values()]
  for (let top = stack.at(-1); top && left > 0; top = stack.at(-1)) {
    const { done, value: next } = top.next()
    if (done) stack.pop()
    else if (typeof next === 'object' && next !== null) stack.push(openMembers(next))
    else if (typeof next === 'string' || typeof next === 'number') {
      // A text that is JSON is masked by its keys, which are lost once it stands among others.
      const word = typeof next === 'string' ? maskText(next.slice(0, maxBytes)) : String(next)
      words.push(word)
      left -= word.length + 1
    }
  }
  return words
}

/** What a tool was called with, where a call was captured as any other content. */
const callMembers = new Set<string | undefined>(['args', 'arguments'])

function* openMembers(container: object): Generator<unknown> {
  for (const [key, member] of maskMembers(container)) if (!callMembers.has(key)) yield member
}
