import { createGrowingArray } from '../../../kernel/collections/growing-array.ts'
import { longestStatement } from '../../scoring/newer-statements.ts'

/** Whether a text is compared with others that say nearly the same: an entity states nothing. */
export function isStatement({ type, words }: { type: string; words: number }): boolean {
  return type !== 'entity' && words <= longestStatement
}

/** The words of short texts, as numbers, by their place; a long text has none. */
export function createStatementList() {
  const words = createGrowingArray(Uint32Array)
  const ends = createGrowingArray(Uint32Array)
  const isListed = createGrowingArray(Uint8Array)

  function push(list: readonly number[] | null): void {
    for (const word of list ?? []) words.push(word)
    ends.push(words.length)
    isListed.push(list ? 1 : 0)
  }

  /** The words of a statement; `names` says what each number stands for. A loop, because every candidate of a question is read. */
  function read(place: number, names: readonly string[]): string[] | null {
    if (isListed.values[place] !== 1) return null
    const start = place === 0 ? 0 : (ends.values[place - 1] ?? 0)
    const named: string[] = []
    for (const word of words.values.subarray(start, ends.values[place])) named.push(names[word] ?? '')
    return named
  }

  return {
    push,
    read,
    get bytes() {
      return words.bytes + ends.bytes + isListed.bytes
    },
  }
}
