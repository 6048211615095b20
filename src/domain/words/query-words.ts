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
function listPictograms(text: string): string[] {
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

/** The words as they are written, without what joins them. */
export function listPlainWords(text: string): string[] {
  return text.normalize('NFKC').match(plain) ?? []
}

/** Only the plain words in their order, for phrases. */
function splitIdentifiers(text: string): string {
  return (text.normalize('NFKC').match(compound) ?? []).flatMap(splitParts).flatMap(splitRuns).join(' ')
}

function splitParts(identifier: string): string[] {
  return (identifier.match(plain) ?? []).flatMap((part) => part.split(caseChanges))
}

/** Whether a word stands for a whole identifier, such as `src/main.ts`. */
export function isIdentifier(word: string): boolean {
  return word.includes(identifierSeparator)
}

function joinParts(identifier: string): string {
  return (identifier.match(plain) ?? []).join(identifierSeparator).toLowerCase()
}

export type TextQuery = {
  /** A record matches when it has any of these words. */
  alternatives: string
  /** Or any of these, which stand beside the question and count less. */
  remarks?: string
  /** Each phrase must occur exactly. */
  phrases: string[]
  /** None of these phrases may occur. */
  excluded: string[]
}

const terms = /(?<=^|\s)(-?)"([^"]*)"|(?<=^|\s)-(\S+)|\S+/gu

/** In words. In a longer text, such as a pasted note, quotes and a minus are of the text: speech, titles, lists, options of a command. */
export const longestQuery = 50

export function countWords(text: string): number {
  return text.match(/\S+/gu)?.length ?? 0
}

/** The query for a text that is longer. */
export function readLongText(text: string): TextQuery {
  return { alternatives: extractAsked(text), phrases: [], excluded: [] }
}

/** An emoji is searched only where nothing else is asked: beside words it is how the writer feels, and rarer than the words. */
function extractAsked(text: string): string {
  return extractWords(text.replace(pictogram, ' ')).text || listPictograms(text).join(' ')
}

/** Parses a sentence. Quotes and a leading minus mean the same as in a web search. */
export function readQuery(sentence: string): TextQuery {
  const alternatives: string[] = []
  const query: TextQuery = { alternatives: '', phrases: [], excluded: [] }
  for (const [term, minus, quoted, rejected] of sentence.matchAll(terms)) {
    const phrase = splitIdentifiers(quoted ?? rejected ?? '')
    if (minus === '-' || rejected !== undefined) query.excluded.push(phrase)
    else {
      alternatives.push(term)
      query.phrases.push(phrase)
    }
  }
  const isSaid = (phrase: string) => phrase !== ''
  return {
    alternatives: extractAsked(alternatives.join(' ')),
    phrases: query.phrases.filter(isSaid),
    excluded: query.excluded.filter(isSaid),
  }
}

/** The sentence without what it excludes. */
export function dropExcluded(sentence: string): string {
  const keep = (term: string, minus: string | undefined, _quoted: unknown, rejected: string | undefined) =>
    minus === '-' || rejected !== undefined ? '' : term
  return sentence.replace(terms, keep).trim()
}

/** The sentence with the words of its phrases in place of the phrases. What it excludes stays. */
export function dropQuotes(sentence: string): string {
  const unquote = (term: string, minus: string | undefined, quoted: string | undefined) =>
    quoted === undefined || minus === '-' ? term : ` ${quoted.replaceAll('-', ' ')} `
  return sentence.replace(terms, unquote).trim()
}

/**
 * Converts a sentence for `websearch_to_tsquery`, where all words must occur. An identifier becomes a phrase of its
 * parts.
 */
export function toWebSearch(text: string): string {
  return Array.from(text.matchAll(terms), ([term, , quoted, rejected]) => {
    const isExcluded = term.startsWith('-')
    const words = splitIdentifiers(quoted ?? rejected ?? term)
    if (words === '') return ''
    const isPhrase = quoted !== undefined || words.includes(' ')
    return `${isExcluded ? '-' : ''}${isPhrase ? `"${words}"` : words}`
  }).join(' ')
}
