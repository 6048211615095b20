import { maskText } from '../../../domain/secrets/masking.ts'
import { listWords } from './statement-parts.ts'

/** Chooses the part of a long text that has most words of a question. */

/** The most characters of a text that are searched: many long texts would keep other requests waiting. */
const maxSearched = 65_536
const maxPlaces = 64
const maxWords = 16
/** Shorter words, such as "the" and "how", are in every part of a text. */
const shortestWord = 4
/** Characters before the first word that was found, so that its sentence can be read. */
const lead = 60

/** The beginnings of the words of a question, so that another ending of a word is found too. */
export function listWordPrefixes(question: string): string[] {
  const prefixes = listWords(question)
    .filter((word) => word.length >= shortestWord || /\d/.test(word))
    .map((word) => word.slice(0, Math.max(shortestWord, word.length - 2)))
  return [...new Set(prefixes)].slice(0, maxWords)
}

/**
 * At most `limit` characters around the words, masked, or undefined if the beginning of the text serves as well. A
 * secret is masked with `margin` characters on each side of the part, because what shows that it is one may stand there.
 */
export function cutExcerptAround(
  text: string,
  prefixes: readonly string[],
  { limit, margin }: { limit: number; margin: number },
): string | undefined {
  const start = findStart(text, prefixes, limit)
  if (start === 0) return undefined
  const from = Math.max(0, start - margin)
  const masked = maskText(text.slice(from, start + limit + margin))
  // A mask has another length than its secret, so the place is looked up again, beyond the margin.
  const shown = findStart(masked, prefixes, limit, from === 0 ? 0 : Math.floor(margin / 2))
  const rest = masked.slice(shown).replace(/^[\uDC00-\uDFFF]/, '')
  return `…${rest}`.slice(0, limit)
}

/** Where the part with the most different words begins; 0 if no later part has more than the first. */
function findStart(text: string, prefixes: readonly string[], limit: number, first = 0): number {
  if (limit < 2 * lead) return 0
  const places = listPlaces(text.slice(0, maxSearched).toLowerCase(), prefixes, first)
  const counts = new Map<string, number>()
  let best = { at: 0, words: new Set(places.filter(({ at }) => at < limit).map(({ prefix }) => prefix)).size }
  let end = 0
  for (const { at, prefix } of places) {
    for (let next = places[end]; next && next.at < at + limit - lead; next = places[++end]) {
      counts.set(next.prefix, (counts.get(next.prefix) ?? 0) + 1)
    }
    if (counts.size > best.words) best = { at, words: counts.size }
    const left = (counts.get(prefix) ?? 0) - 1
    if (left > 0) counts.set(prefix, left)
    else counts.delete(prefix)
  }
  return best.at <= lead ? 0 : findStartOfWord(text, best.at - lead)
}

type Place = { at: number; prefix: string }

function listPlaces(text: string, prefixes: readonly string[], first: number): Place[] {
  const places: Place[] = []
  for (const prefix of prefixes) {
    let count = 0
    for (
      let at = text.indexOf(prefix, first);
      at >= 0 && count < maxPlaces;
      at = text.indexOf(prefix, at + 1)
    ) {
      places.push({ at, prefix })
      count++
    }
  }
  return places.sort((one, other) => one.at - other.at)
}

function findStartOfWord(text: string, at: number): number {
  const space = text.slice(at, at + lead).search(/\s/)
  return space < 0 ? at : at + space + 1
}
