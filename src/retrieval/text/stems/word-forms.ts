import { compareTexts } from '../../../kernel/text-order.ts'
import { maxRelatedOfSentence, type RelatedStem } from './related-stems.ts'

/**
 * Other forms of a word, such as `команды` for `команда`. The stems are those of one language, but a store may have texts in many. In
 * most languages the forms of a word share its beginning, and differ in a short ending. docs/quality-experiments.md has the figures.
 */

/** In letters. With four, unrelated words are found in English, German and Spanish. */
export const beginningLength = 5
const longestEnding = 4
const maxFormsOfWord = 5
/** No language has so many. A made-up text may have very many, all of which each question would compare. */
export const maxWordsOfBeginning = 500
/** How much a form counts beside the word itself. */
const formWeight = 0.7

/** The first letters of a word; undefined if it is too short to have other forms, or is not made of letters. */
export function getBeginning(word: string): string | undefined {
  if (word.length < beginningLength || !/^[\p{L}\p{M}]+$/u.test(word)) return undefined
  const letters = Array.from(word)
  return letters.length < beginningLength ? undefined : letters.slice(0, beginningLength).join('')
}

/** The beginnings of the words of a question that may have other forms, each once. */
export function listBeginnings(words: readonly string[]): string[] {
  return [...new Set(words.flatMap((word) => getBeginning(word) ?? []))]
}

type Stems = { words: readonly string[]; inflected: readonly string[]; related: readonly RelatedStem[] }

/** What stands for the words of a question, with the forms of some of its words. `listWords` lists words of the store with a beginning. */
export function addForms(
  { words, inflected, related }: Stems,
  listWords: (beginning: string) => readonly string[],
): readonly RelatedStem[] {
  const forms = new Map<string, RelatedStem>()
  for (const of of inflected) {
    const beginning = getBeginning(of)
    if (beginning === undefined) continue
    for (const word of pickForms(of, listWords(beginning)))
      if (!words.includes(word)) forms.set(word, { word, of, weight: formWeight })
  }
  if (forms.size === 0) return related
  const others = related.filter(({ word }) => !forms.has(word))
  return [...forms.values(), ...others].slice(0, maxRelatedOfSentence)
}

/** Those of some words with the same beginning that differ least from a word. */
function pickForms(stem: string, words: readonly string[]): string[] {
  const countEnding = (word: string) => Math.max(stem.length, word.length) - countShared(stem, word)
  return words
    .filter((word) => word !== stem && countEnding(word) <= longestEnding)
    .sort(
      (one, other) =>
        countShared(stem, other) - countShared(stem, one) ||
        one.length - other.length ||
        compareTexts(one, other),
    )
    .slice(0, maxFormsOfWord)
}

function countShared(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}
