const inner = /[\p{L}\p{N}_$]/u

/** The name as a word of its own, not as a part of another. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + word.length]]
    if (!inner.test(before) && !inner.test(after)) return true
  }
  return false
}
