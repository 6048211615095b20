import Type from 'typebox'
import type { Payload } from '../../domain/payloads/payloads.ts'
import { writeSearchableText } from '../../domain/payloads/searchable-text.ts'
import { maskSecrets, maskText } from '../../domain/secrets/masking.ts'
import { countOccurrences } from '../../kernel/collections/occurrences.ts'
import type { DreamQuestion } from '../model-question.ts'
import { formatDay, getMember, readText } from '../prompt-lines.ts'
import { findSharedWords, findSummaryFault } from './summary-check.ts'

/** The question to a chat model about a group, and the check of its answer. */

/** In characters. A longer text would be cut, and the model would not see the rest. */
const maxLengths = { source: 2_000, question: 24_000, summary: 4_000 }

export type Source = { id: string; created_at: Date; payload: Payload | null }
export type GroupQuestion = { sources: readonly Source[]; question: DreamQuestion<string> }

const SummaryAnswer = Type.Object({ summary: Type.String({ minLength: 1, maxLength: maxLengths.summary }) })

const system = [
  'You are shown memories of a software agent that say nearly the same. Write one text that takes their place.',
  'Keep what they say: each name, date and number as it is written there, and each fact. Add nothing to it.',
  'The words in the list keep are in most of them, and must be in your text too. Where they differ, say what each of',
  'them says. What they deny, your text denies too.',
  `Plain sentences in the language and the words of the memories, at most ${maxLengths.summary} characters.`,
].join('\n')

/** Builds a question from the sources that can be shown in full, in order, as many as fit. */
export function buildGroupQuestion(sources: readonly Source[]): GroupQuestion {
  const shownSources: Source[] = []
  const memories: { on: string; says: string }[] = []
  let remaining = maxLengths.question
  for (const source of sources) {
    const says = formatWhole(source)
    if (says === undefined) continue
    const memory = { on: formatDay(source.created_at), says }
    remaining -= JSON.stringify(memory).length
    if (remaining < 0) break
    shownSources.push(source)
    memories.push(memory)
  }
  const keep = findSharedWords(memories.map(({ says }) => says)).map(({ text }) => text)
  const read = (answer: unknown) => readSummary(answer, memories)
  return {
    sources: shownSources,
    question: { system, document: { memories, keep }, schema: SummaryAnswer, name: 'summary', read },
  }
}

/**
 * Returns undefined if the model would see less than the record says: texts that are too long, contain a secret, or
 * hold only for a time or under conditions.
 */
function formatWhole({ payload }: Source): string | undefined {
  if (payload === null || !isUnconditional(payload)) return undefined
  const says = writeSearchableText(payload, []).replace(/\s+/g, ' ').trim()
  const isMasked = maskText(says) !== says || JSON.stringify(maskSecrets(payload)) !== JSON.stringify(payload)
  return says === '' || says.length > maxLengths.source || isMasked ? undefined : says
}

function isUnconditional(payload: Payload): boolean {
  if (payload.kind !== 'semantic') return true
  return payload.validity.mode === 'global' && payload.revision?.status !== 'contested'
}

function readSummary(answer: unknown, memories: readonly { on: string; says: string }[]): string | undefined {
  const summary = readText(getMember(answer, 'summary'), maxLengths.summary)
  if (summary === undefined) return undefined
  const texts = memories.map(({ says }) => says)
  const dates = memories.map(({ on }) => on)
  return findSummaryFault(summary, texts, dates) ? undefined : summary
}

/** Returns the subject that most of the records are about. */
export function chooseSubject(sources: readonly Pick<Source, 'payload'>[], tags: readonly string[]): string {
  const subjects = sources.flatMap(({ payload }) => (payload?.kind === 'semantic' ? [payload.subject] : []))
  return findMostFrequent(subjects) ?? findMostFrequent(tags) ?? 'experience'
}

function findMostFrequent(words: readonly string[]): string | undefined {
  return [...countOccurrences(words)].reduce<[string, number] | undefined>(
    (best, each) => (best && best[1] >= each[1] ? best : each),
    undefined,
  )?.[0]
}
