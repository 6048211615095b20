import {
  getStem,
  hasFigure,
  hasNegation,
  isCommon,
  isContentWord,
  splitParts,
  splitWords,
  type Word,
} from './summary-words.ts'

/** Checks by rules whether a summary says what its sources say. */

/** The share of the summary's content words that its sources must contain. */
const minShared = 0.5

type SummaryFault = 'longer' | 'invented' | 'lost' | 'strange'

/** Returns undefined if the rules find no fault. */
export function findSummaryFault(
  summary: string,
  sources: readonly string[],
  dates: readonly string[] = [],
): SummaryFault | undefined {
  const all = sources.join('\n')
  if (summary.length > all.length) return 'longer'
  const words = splitWords(summary)
  const vocabulary = createVocabulary([all, ...dates].join('\n'))
  const isInvented = words.some((word) => !isSupported(word, vocabulary))
  if (isInvented || (hasNegation(summary) && !hasNegation(all))) return 'invented'
  if (losesSharedWords(summary, sources)) return 'lost'
  const contentParts = words.flatMap(({ text, kind }) =>
    kind === 'plain' ? splitParts(text).filter(isContentWord) : [],
  )
  const shared = contentParts.filter((part) => vocabulary.stems.has(getStem(part)))
  return shared.length < contentParts.length * minShared ? 'strange' : undefined
}

type Vocabulary = { text: string; parts: ReadonlySet<string>; stems: ReadonlySet<string> }

function createVocabulary(text: string): Vocabulary {
  const parts = new Set(splitWords(text).flatMap((word) => splitParts(word.text)))
  return { text, parts, stems: new Set([...parts].map(getStem)) }
}

/**
 * A number or a name that no source contains is invented. The first word of a sentence is capitalised in any case, so
 * it may be a common word.
 */
function isSupported({ text, kind, isFirst }: Word, { text: candidates, parts, stems }: Vocabulary): boolean {
  if (kind === 'plain') return true
  if (kind === 'figure') return hasFigure(candidates, text)
  const isBegun = isFirst && /^\p{Lu}[\p{Ll}\p{M}'’-]*$/u.test(text)
  if (isBegun && (isCommon({ text }) || stems.has(getStem(text)))) return true
  // `I` and similar words are capitalised everywhere.
  return (text.length === 1 && isCommon({ text })) || splitParts(text).every((part) => parts.has(part))
}

/** Returns the numbers and names that most of the sources contain. */
export function findSharedWords(sources: readonly string[]): Word[] {
  const counts = new Map<string, { word: Word; count: number }>()
  for (const source of sources) {
    const candidates = splitWords(source).filter((word) => word.kind !== 'plain' && !isCommon(word))
    for (const [key, word] of new Map(candidates.map((each) => [each.text.toLowerCase(), each]))) {
      counts.set(key, { word, count: (counts.get(key)?.count ?? 0) + 1 })
    }
  }
  return [...counts.values()].flatMap(({ word, count }) => (isMajority(count, sources) ? word : []))
}

function isMajority(count: number, sources: readonly string[]): boolean {
  return count > sources.length / 2
}

/** The summary must contain each number and name that most sources contain, and a negation if most sources have one. */
function losesSharedWords(summary: string, sources: readonly string[]): boolean {
  const vocabulary = createVocabulary(summary)
  const isKept = (word: Word) =>
    word.kind === 'figure' ? hasFigure(summary, word.text) : hasName(word, vocabulary)
  const isDenied = isMajority(sources.filter(hasNegation).length, sources)
  return !findSharedWords(sources).every(isKept) || (isDenied && !hasNegation(summary))
}

function hasName({ text, isFirst }: Word, { parts, stems }: Vocabulary): boolean {
  return splitParts(text).every((part) => parts.has(part)) || (isFirst && stems.has(getStem(text)))
}
