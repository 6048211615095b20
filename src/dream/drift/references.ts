/** Where to look: a path relative to each root, without `..`, and the names that the file must contain. */
export type FileTarget = { path: string; names: readonly string[]; roots: readonly string[] }

/** A file, symbol or script that a record names, and the words by which it does. */
export type Reference = FileTarget & { kind: 'path' | 'symbol' | 'script'; reference: string }

/** `unknown`: the file could not be checked. */
export type Finding = 'found' | 'missing' | 'unknown'

const inner = /[\p{L}\p{N}_$]/u

/** Returns whether the text contains the name as a whole word. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text[at - 1] ?? ''
    const after = text[at + word.length] ?? ''
    if (!inner.test(before) && !inner.test(after)) return true
  }
  return false
}
