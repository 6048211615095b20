import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export type RelatedWord = {
  word: string
  /** The cosine of both, 0 to 1. */
  similarity: number
}

let lines: ReadonlyMap<string, string> | undefined
/** The words of earlier questions. */
const read = new Map<string, readonly RelatedWord[]>()

/** English words of a related meaning, the nearest first. scripts/build-related-words.ts makes the list from the token table. */
export function findRelatedWords(word: string): readonly RelatedWord[] {
  const known = read.get(word)
  if (known) return known
  lines ??= readLines()
  const line = lines.get(word)
  if (line === undefined) return []
  const found = readLine(line)
  read.set(word, found)
  return found
}

function readLine(line: string): RelatedWord[] {
  const parts = line.split(' ')
  return Array.from({ length: parts.length / 2 }, (_, at) => ({
    word: parts[2 * at] ?? '',
    similarity: Number(parts[2 * at + 1]) / 100,
  }))
}

/** Reads 1 MB, once in a process and only when the first question is asked. */
function readLines(): ReadonlyMap<string, string> {
  const text = readFileSync(resolve(import.meta.dirname, 'related-words.txt'), 'utf8')
  return new Map(
    text.split('\n').map((line): [string, string] => {
      const [word = ''] = line.split(' ', 1)
      return [word, line.slice(word.length + 1)]
    }),
  )
}
