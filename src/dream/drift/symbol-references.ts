const inner = /[\p{L}\p{N}_$]/u

/** Returns whether the text contains the name as a whole word. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + word.length]]
    if (!inner.test(before) && !inner.test(after)) return true
  }
  return false
}
