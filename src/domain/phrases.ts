import { normaliseName } from './names.ts'

/** Finds phrases of up to three words that could be names. */

const maxWords = 3
const word = /[\p{L}\p{N}](?:[^\s,;()[\]{}"“”<>|]*[\p{L}\p{N}+#])?/gu

/** Returns each phrase once, in the order and spelling of the text. */
export function listPhrases(text: string, limit: number): string[] {
  const words = text.match(word) ?? []
  const phrases = new Map<string, string>()
  for (let at = 0; at < words.length && phrases.size < limit; at++) {
    let phrase = ''
    for (const each of words.slice(at, at + maxWords)) {
      phrase = phrase === '' ? each : `${phrase} ${each}`
      const name = normaliseName(phrase)
      if (!phrases.has(name)) phrases.set(name, phrase)
    }
  }
  return [...phrases.values()].slice(0, limit)
}
