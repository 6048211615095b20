import { getBeginning, maxWordsOfBeginning } from '../stems/word-forms.ts'

/** The words of a store by their first letters. Words that have no other forms are left out. */
export function createWordBeginnings() {
  const words = new Map<string, Set<string>>()

  function add(word: string): void {
    const beginning = getBeginning(word)
    if (beginning === undefined) return
    const known = words.get(beginning)
    if (!known) words.set(beginning, new Set([word]))
    else if (known.size < maxWordsOfBeginning) known.add(word)
  }

  function remove(word: string): void {
    const beginning = getBeginning(word) ?? ''
    const known = words.get(beginning)
    known?.delete(word)
    if (known?.size === 0) words.delete(beginning)
  }

  return { add, remove, list: (beginning: string) => [...(words.get(beginning) ?? [])] }
}
