import { holdsUnspaced, listNamesInRuns } from '../../domain/words/unspaced-scripts.ts'

/** Lists the parts of a sentence that could be a name: single words, sequences of words, and in scripts without spaces some letters in a row. */

const longestName = 4
/** A descriptor may be a whole document. Its topic is usually named at the top. */
const maxWords = 100
/** A longer word is probably pasted data. */
const longestWord = 256
/** The most names inside words, in scripts without spaces. */
const maxInside = 400

const opening = /[\p{L}\p{N}@#/.]/u
const closing = /[\p{L}\p{N}/#+]/u
const possessive = /['’]s$/u

/** The longest names first, because they are more specific, then in the order of the text. */
export function listNames(text: string): string[] {
  const words = text
    .split(/\s+/u)
    .filter((word) => word !== '' && word.length <= longestWord)
    .slice(0, maxWords)
  const names = new Set<string>()
  for (let length = Math.min(longestName, words.length); length > 0; length--) {
    for (let start = 0; start + length <= words.length; start++) {
      for (const name of listSpellings(words.slice(start, start + length).join(' '))) names.add(name)
    }
  }
  for (const name of listNamesInsideWords(words)) names.add(name)
  return [...names]
}

function listNamesInsideWords(words: readonly string[]): string[] {
  const found: string[] = []
  for (const word of words.filter(holdsUnspaced)) {
    for (const name of listNamesInRuns(word)) {
      if (found.length >= maxInside) break
      found.push(name)
    }
  }
  return found.sort((one, other) => other.length - one.length)
}

/** The phrase itself, without surrounding punctuation, and without a possessive. */
function listSpellings(phrase: string): string[] {
  const bare = strip(phrase)
  return [phrase, bare, bare.replace(possessive, '')].filter((spelling) => spelling !== '')
}

/**
 * Character by character from both ends: a regular expression takes quadratic time on a long run of punctuation.
 */
function strip(phrase: string): string {
  const characters = [...phrase]
  const start = characters.findIndex((each) => opening.test(each))
  const end = characters.findLastIndex((each) => closing.test(each))
  return start < 0 ? '' : characters.slice(start, end + 1).join('')
}
