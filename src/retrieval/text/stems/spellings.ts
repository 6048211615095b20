import { joinParts, listIdentifierParts } from '../../../domain/words/word-extraction.ts'
import { correctionWeight } from './related-stems.ts'

/** In letters and digits. Longer identifiers, such as a path, are not written as one word. */
const longestJoined = 24

/** The letters and the number of `P118` or `148kB`. */
const lettersAndNumber = /^(?:\p{L}+(?=\p{N}+$)|\p{N}+(?=\p{L}+$))/u
/** Fewer letters before a number are mostly of an id. */
const wordAndNumber = /^(?:\p{L}{3,}\p{N}+|\p{N}+\p{L}{2,})$/u

/** Other ways to write a word of a question: `P-118` may be stored as "P118" or the other way round, and `bench47` as "bench 47". */
export function listSpellings(word: string): { word: string; weight: number }[] {
  return listWritten(word).map((each) => ({ word: each, weight: correctionWeight }))
}

function listWritten(word: string): string[] {
  const parts = listIdentifierParts(word)
  const joined = parts.join('')
  if (joined.length > longestJoined) return []
  if (parts.length > 1) return parts.length === 2 ? [joined] : []
  const [first] = lettersAndNumber.exec(word) ?? []
  if (first === undefined) return []
  const separated = [first, word.slice(first.length)]
  return [joinParts(separated.join('-')), ...(wordAndNumber.test(word) ? separated : [])]
}
