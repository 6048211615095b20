import {
  findCaptured,
  findOnlyText,
  listConstraintParts,
  listContextParts,
} from '../payloads/captured-content.ts'
import type { EpisodicPayload, Payload, SemanticPayload } from '../payloads/payloads.ts'
import { isNote, notePredicate } from './handles.ts'
import { normaliseJson } from './normalise-json.ts'

/**
 * The canonical wording of a record, without times and references, so that repeated content is recognised: NFKC,
 * lower case, without punctuation, single spaces. Null when the record says nothing.
 */
export function writeCanonicalWording(payload: Payload): string | null {
  return writeWording(payload, listParts(payload))
}

/** The wording in tombstones of an earlier version; null where it is the same. */
export function writeEarlierWording(payload: Payload): string | null {
  const parts = listEarlierParts(payload)
  const wording = parts && writeWording(payload, parts)
  return !wording || wording === writeCanonicalWording(payload) ? null : wording
}

/**
 * The wording of the summary of a captured text; null for a record that has none or says no more than it. An erase covers both
 * wordings.
 */
export function writeSummaryWording(payload: Payload): string | null {
  if (payload.kind !== 'episodic' || findOnlyCapturedText(payload) === undefined) return null
  const { timeline, conversation } = payload
  const wording = writeCanonicalWording({
    ...emptyEpisode,
    timeline,
    ...(conversation ? { conversation } : {}),
  })
  return wording === writeCanonicalWording(payload) ? null : wording
}

const emptyEpisode: EpisodicPayload = { kind: 'episodic', timeline: [], tool_graph: [], artifacts: [] }

function writeWording({ kind }: Payload, listed: readonly unknown[]): string | null {
  const parts = listed.map((part) => normaliseJson(part, normaliseText))
  const isSilent = parts.every((part) => part === '' || (Array.isArray(part) && part.length === 0))
  return isSilent ? null : JSON.stringify([kind, ...parts])
}

function listParts(payload: Payload): unknown[] {
  switch (payload.kind) {
    case 'semantic':
      return listFactParts(payload)
    case 'entity':
      return [payload.canonical_name]
    case 'episodic':
      return listEpisodeParts(payload)
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

/** It separated a text from its topic or its place only where that is a message, and counted words by spaces alone. */
function listEarlierParts(payload: Payload): unknown[] | undefined {
  if (payload.kind === 'semantic' && isNote(payload)) return listTopicParts(payload)
  if (payload.kind !== 'episodic') return undefined
  if (!payload.conversation && findOnlyCapturedText(payload) === undefined) return undefined
  const words = listSummaries(payload).reduce((sum, text) => sum + countSpaced(normaliseText(text)), 0)
  return [...listAllParts(payload), ...(words < minWords ? identifyMessage(payload) : [])]
}

/** A text in plain words is the same under every topic, because the service may choose the topic. */
function listFactParts(payload: SemanticPayload): unknown[] {
  return isNote(payload) && !isShort(payload.object)
    ? [notePredicate, payload.object]
    : listTopicParts(payload)
}

function listTopicParts({ subject, predicate, object }: SemanticPayload): unknown[] {
  return [subject, predicate, object]
}

/** A captured text says what a message with this text says. */
function listEpisodeParts(payload: EpisodicPayload): unknown[] {
  const text = findOnlyCapturedText(payload)
  const parts = text === undefined ? listAllParts(payload) : [[text], []]
  const [summaries = [], ...others] = parts
  const isBound = others.flat().length === 0 && isShort(summaries.join(' '))
  return isBound ? [...parts, ...identifyMessage(payload)] : parts
}

function findOnlyCapturedText(payload: EpisodicPayload): string | undefined {
  const { timeline, tool_graph: calls } = payload
  return timeline.length > 1 || calls.length > 0 ? undefined : findOnlyText(findCaptured(payload)?.content)
}

function listAllParts(payload: EpisodicPayload): [summaries: string[], ...others: unknown[]] {
  const results = payload.tool_graph.flatMap(({ result }) => (result === undefined ? [] : [result]))
  return [listSummaries(payload), results, ...listContextParts(payload)]
}

function listSummaries({ timeline }: EpisodicPayload): string[] {
  return timeline.flatMap(({ summary }) => summary || [])
}

function identifyMessage({ conversation }: EpisodicPayload): string[] {
  return conversation ? [conversation.id, conversation.message_id] : []
}

/** Fewer words than this say nothing by themselves: an erased "yes, please" must not keep every other one out. */
const minWords = 5

function isShort(text: string): boolean {
  return countWordsOf(normaliseText(text)) < minWords
}

function countSpaced(text: string): number {
  return text.split(' ').length
}

/**
 * Scripts that write no spaces between words count two letters as one word. Not a segmenter: its dictionary changes
 * with the version of Node, and a tombstone must match for ever.
 */
function countWordsOf(text: string): number {
  return Math.max(countSpaced(text), Math.floor((text.match(unspacedLetters)?.length ?? 0) / 2))
}

const unspacedLetters =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu

function normaliseText(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().normalize('NFKC')
  const words = folded.replaceAll(/[\p{P}\p{Z}\p{C}\s]+/gu, ' ').trim()
  // A text that is only punctuation keeps it.
  return words === '' ? folded.replaceAll(/\s+/gu, ' ').trim() : words
}
