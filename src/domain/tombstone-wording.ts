import { listConstraintParts, listContextParts } from './captured-content.ts'
import { normaliseJson } from './normalise-json.ts'
import type { EpisodicPayload, Payload } from './payloads.ts'

/**
 * The canonical wording of a record, without times and references, so that repeated content is recognised: NFKC,
 * lower case, without punctuation, single spaces. Null when the record says nothing.
 */
export function writeCanonicalWording(payload: Payload, countWords = countWordsOf): string | null {
  const parts = listParts(payload, countWords).map((part) => normaliseJson(part, normaliseText))
  const isSilent = parts.every((part) => part === '' || (Array.isArray(part) && part.length === 0))
  return isSilent ? null : JSON.stringify([payload.kind, ...parts])
}

/**
 * The wording in tombstones of an earlier version, which counted words by spaces alone; null where it is the same.
 */
export function writeEarlierWording(payload: Payload): string | null {
  if (payload.kind !== 'episodic' || !payload.conversation) return null
  const wording = writeCanonicalWording(payload, countSpaced)
  return wording === writeCanonicalWording(payload) ? null : wording
}

function listParts(payload: Payload, countWords: WordCount): unknown[] {
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
        ...identifyShortMessage(payload, countWords),
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
const minWords = 5

function identifyShortMessage({ conversation, timeline }: EpisodicPayload, countWords: WordCount): string[] {
  const words = timeline.reduce((sum, { summary = '' }) => sum + countWords(normaliseText(summary)), 0)
  return conversation && words < minWords ? [conversation.id, conversation.message_id] : []
}

type WordCount = (text: string) => number

const countSpaced: WordCount = (text) => text.split(' ').length

/**
 * Scripts that write no spaces between words count two letters as one word. Not a segmenter: its dictionary changes
 * with the version of Node, and a tombstone must match for ever.
 */
const countWordsOf: WordCount = (text) =>
  Math.max(countSpaced(text), Math.floor((text.match(unspacedLetters)?.length ?? 0) / 2))

const unspacedLetters =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu

function normaliseText(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().normalize('NFKC')
  const words = folded.replaceAll(/[\p{P}\p{Z}\p{C}\s]+/gu, ' ').trim()
  // A text that is only punctuation keeps it.
  return words === '' ? folded.replaceAll(/\s+/gu, ' ').trim() : words
}
