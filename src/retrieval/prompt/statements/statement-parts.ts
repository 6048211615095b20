import { endsSentence } from '../../../domain/words/sentence-end.ts'
import { containsName } from '../../../domain/words/unspaced-scripts.ts'

/** The parts of which the statements of every type of record are composed. */

/** Writes a value within a limit of characters, masked. */
export type Write = (value: unknown, limit?: number) => string

/** The most characters of a result or a value that are shown beside others. */
export const longestDetail = 300
/** The most items of a list that are shown. */
export const maxItems = 50

/** A part that ends a sentence is followed by a space alone. */
export function join(parts: readonly string[], by: string): string {
  const endsPart = by === '. ' || by === '; '
  return parts
    .filter((part) => part !== '')
    .reduce((text, part) => {
      if (text === '') return part
      return `${text}${endsPart && endsSentence(text) ? ' ' : by}${part}`
    }, '')
}

export function writeLabelled(label: string, items: readonly unknown[], write: Write): string {
  if (items.length === 0) return ''
  const shown = items.slice(0, maxItems).map((item) => write(item))
  return `${label}: ${join(shown, '; ')}`
}

/** In longer texts nothing is looked for, so that the cost does not depend on the record. */
const maxSearched = 10_000

/** Whether a text has the words of another one after the other, in any case and punctuation. */
export function containsWords(text: string, words: string): boolean {
  if (words.length > maxSearched) return false
  if (containsName(text.slice(0, maxSearched), words)) return true
  return spell(text.slice(0, maxSearched)).includes(spell(words))
}

function spell(text: string): string {
  return ` ${listWords(text.normalize('NFKC')).join(' ')} `
}

/** The words of a text in lower case, without punctuation. */
export function listWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
