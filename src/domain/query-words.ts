/**
 * How text becomes words, for what is stored and for what is asked alike. PostgreSQL's own parser makes one token of
 * `src/main.ts`, drops the hyphens of `2026-03-28` into signs and cannot see `getUser` as two words; so
 * it is handed plain words only, and stems them.
 */

const compound = /[\p{L}\p{N}\p{M}]+(?:[-_./:@\\#+]+[\p{L}\p{N}\p{M}]+)*/gu
const plain = /[\p{L}\p{N}\p{M}]+/gu
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu

/** One word without a hump, as nearly all are: looking for its parts took a fifth of the time of a create. */
const single = /^[A-Z]?[a-z0-9]*$/

/** Joins the parts of an identifier to one plain word; a pair of letters that hardly any word has. */
const identifierJoint = 'zq'

/** What is longer is found by its parts: a URL is rarely typed whole, and PostgreSQL drops words over 2 KB. */
const longestWhole = 200

export type ExtractedWords = {
  /** Plain words in their order, and after them the identifiers whole, where they disturb no phrase. */
  text: string
  /** As many as were written, which is the length that relevance is measured against. */
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
    const parts = partsOf(found)
    words.push(...parts)
    if (parts.length > 1 && found.length <= longestWhole) wholes.push(wholeOf(found))
  }
  return { text: [...words, ...wholes].join(' '), count: words.length }
}

/** The plain words alone, in their order: for phrases. */
function plainWords(text: string): string {
  return (text.normalize('NFKC').match(compound) ?? []).flatMap(partsOf).join(' ')
}

function partsOf(identifier: string): string[] {
  return (identifier.match(plain) ?? []).flatMap((part) => part.split(humps))
}

function wholeOf(identifier: string): string {
  return (identifier.match(plain) ?? []).join(identifierJoint).toLowerCase()
}

export type TextQuery = {
  /** Any of these is a match. */
  alternatives: string
  /** Each must occur as it stands. */
  phrases: string[]
  /** None of these may occur. */
  excluded: string[]
}

const terms = /(?<=^|\s)(-?)"([^"]*)"|(?<=^|\s)-(\S+)|\S+/gu

/** Reads a sentence: quotes and a leading minus keep the meaning they have in a web search. */
export function readQuery(sentence: string): TextQuery {
  const wanted: string[] = []
  const query: TextQuery = { alternatives: '', phrases: [], excluded: [] }
  for (const [term, minus, quoted, rejected] of sentence.matchAll(terms)) {
    const phrase = plainWords(quoted ?? rejected ?? '')
    if (minus === '-' || rejected !== undefined) query.excluded.push(phrase)
    else {
      wanted.push(term)
      query.phrases.push(phrase)
    }
  }
  const isSaid = (phrase: string) => phrase !== ''
  return {
    alternatives: extractWords(wanted.join(' ')).text,
    phrases: query.phrases.filter(isSaid),
    excluded: query.excluded.filter(isSaid),
  }
}

/** The same for `websearch_to_tsquery`, in which all words must occur: an identifier becomes the phrase of its parts. */
export function toWebSearch(text: string): string {
  return Array.from(text.matchAll(terms), ([term, , quoted, rejected]) => {
    const isExcluded = term.startsWith('-')
    const words = plainWords(quoted ?? rejected ?? term)
    if (words === '') return ''
    const isPhrase = quoted !== undefined || words.includes(' ')
    return `${isExcluded ? '-' : ''}${isPhrase ? `"${words}"` : words}`
  }).join(' ')
}
