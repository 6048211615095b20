import {
  denies,
  hasFigure,
  isCommon,
  isTelling,
  partsOf,
  stemOf,
  type Word,
  wordsOf,
} from './summary-words.ts'

/** Whether a summary says what its sources say, as far as a rule can tell. */

/** Of the words that tell what a summary is about, how many its sources must use as well. */
const leastShared = 0.5

export type Fault = 'longer' | 'invented' | 'lost' | 'strange'

/** Undefined where there is nothing to say against it. */
export function findFault(
  summary: string,
  sources: readonly string[],
  dates: readonly string[] = [],
): Fault | undefined {
  const all = sources.join('\n')
  if (summary.length > all.length) return 'longer'
  const words = wordsOf(summary)
  const known = createKnown([all, ...dates].join('\n'))
  const isInvented = words.some((word) => !isTold(word, known))
  if (isInvented || (denies(summary) && !denies(all))) return 'invented'
  if (isLost(summary, sources)) return 'lost'
  const telling = words.flatMap(({ text, kind }) => (kind === 'plain' ? partsOf(text).filter(isTelling) : []))
  const shared = telling.filter((part) => known.stems.has(stemOf(part)))
  return shared.length < telling.length * leastShared ? 'strange' : undefined
}

type Known = { text: string; parts: ReadonlySet<string>; stems: ReadonlySet<string> }

function createKnown(text: string): Known {
  const parts = new Set(wordsOf(text).flatMap((word) => partsOf(word.text)))
  return { text, parts, stems: new Set([...parts].map(stemOf)) }
}

/** A figure or a name that no source says is made up; what only begins a sentence is written large anyway. */
function isTold({ text, kind, isFirst }: Word, { text: told, parts, stems }: Known): boolean {
  if (kind === 'plain') return true
  if (kind === 'figure') return hasFigure(told, text)
  const isBegun = isFirst && /^\p{Lu}[\p{Ll}\p{M}'’-]*$/u.test(text)
  if (isBegun && (isCommon({ text }) || stems.has(stemOf(text)))) return true
  // `I` and the like are written large wherever they stand.
  return (text.length === 1 && isCommon({ text })) || partsOf(text).every((part) => parts.has(part))
}

/** The figures and the names that most of the sources have. */
export function findShared(sources: readonly string[]): Word[] {
  const counts = new Map<string, { word: Word; count: number }>()
  for (const source of sources) {
    const told = wordsOf(source).filter((word) => word.kind !== 'plain' && !isCommon(word))
    for (const [key, word] of new Map(told.map((each) => [each.text.toLowerCase(), each]))) {
      counts.set(key, { word, count: (counts.get(key)?.count ?? 0) + 1 })
    }
  }
  return [...counts.values()].flatMap(({ word, count }) => (isMost(count, sources) ? word : []))
}

function isMost(count: number, sources: readonly string[]): boolean {
  return count > sources.length / 2
}

/** What most sources say is to be said: each figure, each name, and that something is not so. */
function isLost(summary: string, sources: readonly string[]): boolean {
  const known = createKnown(summary)
  const isKept = (word: Word) =>
    word.kind === 'figure' ? hasFigure(summary, word.text) : isNamed(word, known)
  const isDenied = isMost(sources.filter(denies).length, sources)
  return !findShared(sources).every(isKept) || (isDenied && !denies(summary))
}

function isNamed({ text, isFirst }: Word, { parts, stems }: Known): boolean {
  return partsOf(text).every((part) => parts.has(part)) || (isFirst && stems.has(stemOf(text)))
}
