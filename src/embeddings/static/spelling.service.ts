import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createOneEditSearch, type OneEditSearch } from '../../domain/words/one-edit.ts'

/** A shorter word is near to too many others. */
const shortest = 5
const longest = 20
const maxCorrections = 3

/** The rank of each word, 0 for the most common. */
type Dictionary = { ranks: ReadonlyMap<string, number>; search: OneEditSearch }
let dictionary: Dictionary | undefined

/** The corrections of earlier words: a long text has many. */
const found = new Map<string, readonly string[]>()
const maxFound = 10_000

/** English words that a misspelled word may mean, the most common first: they differ by one letter. None for a word that is known. */
export function findCorrections(word: string): readonly string[] {
  if (word.length < shortest || word.length > longest || !/^[a-z]+$/.test(word)) return []
  const known = found.get(word)
  if (known) return known
  if (found.size >= maxFound) found.clear()
  const corrections = searchCorrections(word)
  found.set(word, corrections)
  return corrections
}

/** Whether a word in lower case is long enough, and not in the vocabulary of the built-in embedder. */
export function mayBeMisspelled(word: string): boolean {
  dictionary ??= readDictionary()
  return word.length >= shortest && !dictionary.ranks.has(word)
}

function searchCorrections(word: string): readonly string[] {
  dictionary ??= readDictionary()
  const { ranks, search } = dictionary
  if (ranks.has(word)) return []
  const rank = (other: string) => ranks.get(other) ?? 0
  return search(word)
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, maxCorrections)
}

/** Reads the words of the built-in embedder, the most common first, once in a process and only for the first question. */
function readDictionary(): Dictionary {
  const pieces = readFileSync(resolve(import.meta.dirname, 'vocabulary.txt'), 'utf8').split('\n')
  const words = pieces.filter((piece) => /^[a-z]+$/.test(piece))
  return {
    ranks: new Map(words.map((word, rank) => [word, rank])),
    search: createOneEditSearch(words),
  }
}
