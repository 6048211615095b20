import type { Database } from '../../db/connection.ts'
import type { TextQuery } from '../../domain/query-words.ts'
import { findStems } from './stemming.queries.ts'

/** The stems of a sentence, each once, in their order. */
export type Stems = {
  words: string[]
  /** The stems inside phrases. */
  phrased: string[]
}

const maxKept = 20_000
const longestKept = 64

/** Finds the stems of words and caches them, so that hardly any search repeats the round trip. */
export function createStemmer({ textLanguage }: { textLanguage: string }) {
  const kept = new Map<string, readonly string[]>()

  async function findQueryStems(db: Database, { alternatives, phrases }: TextQuery): Promise<Stems> {
    const words = splitWords(alternatives)
    const phrased = splitWords(phrases.join(' '))
    const stems = await learn(db, new Set([...words, ...phrased]))
    const stemWords = (list: readonly string[]) => [
      ...new Set(list.flatMap((word) => kept.get(word) ?? stems.get(word) ?? [])),
    ]
    return { words: stemWords(words), phrased: stemWords(phrased) }
  }

  async function learn(db: Database, words: ReadonlySet<string>): Promise<ReadonlyMap<string, string[]>> {
    const unknown = [...words].filter((word) => !kept.has(word))
    if (unknown.length === 0) return new Map()
    const found = await findStems(db, unknown, textLanguage)
    // Clears everything, which is rare: tracking the last use would cost every search.
    if (kept.size > maxKept) kept.clear()
    for (const { word, stems } of found) if (word.length <= longestKept) kept.set(word, stems)
    return new Map(found.map(({ word, stems }) => [word, stems]))
  }

  return { findQueryStems }
}

function splitWords(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}
