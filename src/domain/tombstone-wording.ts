import { listConstraintParts, listContextParts } from './captured-content.ts'
import { normaliseJson } from './normalise-json.ts'
import type { EpisodicPayload, Payload } from './payloads.ts'

/**
 * The canonical wording of a record, without times and references, so that repeated content is recognised: NFKC,
 * lower case, without punctuation, single spaces. Null when the record says nothing.
 */
export function canonicalWording(payload: Payload): string | null {
  const parts = partsOf(payload).map((part) => normaliseJson(part, normaliseText))
  const isSilent = parts.every((part) => part === '' || (Array.isArray(part) && part.length === 0))
  return isSilent ? null : JSON.stringify([payload.kind, ...parts])
}

function partsOf(payload: Payload): unknown[] {
  switch (payload.kind) {
    case 'semantic':
      return [payload.subject, payload.predicate, payload.object]
    case 'entity':
      return [payload.canonical_name]
    case 'episodic':
      return [
        payload.timeline.flatMap(({ summary }) => summary || []),
        payload.tool_graph.flatMap(({ result }) => (result === undefined ? [] : [result])),
        ...listContextParts(payload),
        ...identifyShortMessage(payload),
      ]
    case 'working':
      return [
        payload.context_summary ?? '',
        payload.next_actions,
        payload.open_questions,
        listConstraintParts(payload),
      ]
    case 'competence':
      return [payload.skill_name, payload.recipe.map(({ step, tool }) => [step, tool ?? ''])]
    case 'plan_graph':
      return [payload.intent ?? '', payload.nodes.map(({ op }) => op)]
  }
}

/** Fewer words than this say nothing by themselves: an erased "yes, please" must not keep every other one out. */
const leastWords = 5

function identifyShortMessage({ conversation, timeline }: EpisodicPayload): string[] {
  const words = timeline.flatMap(({ summary = '' }) => normaliseText(summary).split(' '))
  return conversation && words.length < leastWords ? [conversation.id, conversation.message_id] : []
}

function normaliseText(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().normalize('NFKC')
  const words = folded.replaceAll(/[\p{P}\p{Z}\p{C}\s]+/gu, ' ').trim()
  // A text that is only punctuation keeps it.
  return words === '' ? folded.replaceAll(/\s+/gu, ' ').trim() : words
}
