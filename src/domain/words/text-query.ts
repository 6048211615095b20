import { dropPictograms, extractWords, listPictograms, splitIdentifiers } from './word-extraction.ts'

/** Reads what the text of a question asks for: its words, its phrases, and what it excludes. */

export type TextQuery = {
  /** A record matches when it has any of these words. */
  alternatives: string
  /** Or any of these, which stand beside the question or in likely answers, and count less. */
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
  return extractWords(dropPictograms(text)).text || listPictograms(text).join(' ')
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
