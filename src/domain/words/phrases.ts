import { normaliseName } from './names.ts'
import { holdsUnspaced, listNamesInRuns } from './unspaced-scripts.ts'

/** Finds what could be a name: phrases of up to three words, and in scripts without spaces some letters in a row. */

const maxWords = 3
const word = /[\p{L}\p{N}](?:[^\s,;()[\]{}"“”<>|]*[\p{L}\p{N}+#])?/gu

/** Returns each phrase once, in the order and spelling of the text. */
export function listPhrases(text: string, limit: number): string[] {
  const words = text.match(word) ?? []
  const phrases = new Map<string, string>()
  const add = (phrase: string) => {
    const name = normaliseName(phrase)
    if (!phrases.has(name)) phrases.set(name, phrase)
  }
  for (let at = 0; at < words.length && phrases.size < limit; at++) {
    let phrase = ''
    for (const each of words.slice(at, at + maxWords)) {
      phrase = phrase === '' ? each : `${phrase} ${each}`
      add(phrase)
    }
    addInside(words[at] ?? '', add, () => phrases.size >= limit)
  }
  return [...phrases.values()].slice(0, limit)
}

function addInside(found: string, add: (phrase: string) => void, isFull: () => boolean): void {
  if (!holdsUnspaced(found)) return
  for (const name of listNamesInRuns(found)) {
    if (isFull()) return
    add(name)
  }
}
