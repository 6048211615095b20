import { holdsUnspaced, splitRuns } from './unspaced-scripts.ts'

/**
 * Splits text into words, in the same way for stored text and for questions. The parser of PostgreSQL makes one token
 * of `src/main.ts`, reads the hyphens of `2026-03-28` as signs and cannot split `getUser`. So it only receives plain
 * words, which it stems.
 */

const compound = /[\p{L}\p{N}\p{M}]+(?:[-_./:@\\#+]+[\p{L}\p{N}\p{M}]+)*/gu
/** With the sign that asks for its coloured form. */
const pictogram = /\p{Extended_Pictographic}\ufe0f?/gu
const plain = /[\p{L}\p{N}\p{M}]+/gu
const caseChanges = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu

/**
 * A word without an inner capital. Most words match; splitting them too took a fifth of the time of a create.
 */
const single = /^[A-Z]?[a-z0-9]*$/

/** Joins the parts of an identifier to one plain word. Hardly any word contains this pair of letters. */
const identifierSeparator = 'zq'

/** PostgreSQL reads no emoji, so each is written as a word with its code: `zq1f389` for 🎉. */
export function listPictograms(text: string): string[] {
  const found = text.match(pictogram) ?? []
  return found.map((each) => `${identifierSeparator}${each.codePointAt(0)?.toString(16)}`)
}

/**
 * Longer identifiers are only found by their parts: users do not type a whole URL, and PostgreSQL drops words over 2 KB.
 */
const longestWhole = 200

export type ExtractedWords = {
  /** The plain words in their order, followed by the whole identifiers and the emojis, where they do not break a phrase. */
  text: string
  /** The number of plain words that were written: relevance is measured against this length. */
  count: number
}

export function extractWords(text: string): ExtractedWords {
  const words: string[] = []
  const wholes: string[] = []
  for (const found of text.normalize('NFKC').match(compound) ?? []) {
    if (single.test(found)) {
      words.push(found)
      continue
    }
    const parts = splitParts(found)
    // One after the other: a call with more than about 100,000 arguments fails.
    for (const part of parts) for (const each of splitRuns(part)) words.push(each)
    // A run of such letters is a sentence, even with a period inside.
    if (parts.length > 1 && found.length <= longestWhole && !holdsUnspaced(found))
      wholes.push(joinParts(found))
  }
  return { text: [...words, ...wholes, ...listPictograms(text)].join(' '), count: words.length }
}

export function dropPictograms(text: string): string {
  return text.replace(pictogram, ' ')
}

/** The words as they are written, without what joins them. */
export function listPlainWords(text: string): string[] {
  return text.normalize('NFKC').match(plain) ?? []
}

/** Only the plain words in their order, for phrases. */
export function splitIdentifiers(text: string): string {
  return (text.normalize('NFKC').match(compound) ?? []).flatMap(splitParts).flatMap(splitRuns).join(' ')
}

function splitParts(identifier: string): string[] {
  return (identifier.match(plain) ?? []).flatMap((part) => part.split(caseChanges))
}

/** Whether a word stands for a whole identifier, such as `src/main.ts`. */
export function isIdentifier(word: string): boolean {
  return word.includes(identifierSeparator)
}

/** The parts of a word that stands for a whole identifier; of any other word, the word itself. */
export function listIdentifierParts(word: string): string[] {
  return word.split(identifierSeparator)
}

/** The word that stands for a whole identifier. */
export function joinParts(identifier: string): string {
  return (identifier.match(plain) ?? []).join(identifierSeparator).toLowerCase()
}
