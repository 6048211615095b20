/** Whether two different words differ by one letter: one too many, one too few, a wrong one, or two neighbours in each other's place. */
export function isOneEditApart(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  const added = long.length - short.length
  if (added > 1) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start += 1
  if (added === 1) return short.slice(start) === long.slice(start + 1)
  if (start === short.length) return false
  if (short.slice(start + 1) === long.slice(start + 1)) return true
  return (
    short[start] === long[start + 1] &&
    short[start + 1] === long[start] &&
    short.slice(start + 2) === long.slice(start + 2)
  )
}

export type OneEditSearch = (word: string) => string[]

/** In letters. A shorter word may differ by one letter and have neither its first nor its last in common. */
const shortestWithEnds = 4

/**
 * Returns a search among words, each given once, for those that differ from a word by one letter. It compares only words that begin or
 * end with the same letter.
 */
export function createOneEditSearch(words: Iterable<string>): OneEditSearch {
  const groups = new Map<number, string[]>()
  const add = (key: number, word: string) => {
    const group = groups.get(key)
    if (group) group.push(word)
    else groups.set(key, [word])
  }
  for (const word of words) for (const key of listKeys(word, word.length)) add(key, word)
  return (word) => {
    const lengths = [word.length - 1, word.length, word.length + 1]
    const near = lengths.flatMap((length) => listKeys(word, length)).flatMap((key) => groups.get(key) ?? [])
    return [...new Set(near.filter((other) => isOneEditApart(word, other)))]
  }
}

/** The keys of the words of a length that begin or end as a word does. */
function listKeys(word: string, length: number): number[] {
  if (length < shortestWithEnds) return [length]
  const own = 2 * length
  const codes = 2 ** 16
  return [own * codes + word.charCodeAt(0), (own + 1) * codes + word.charCodeAt(word.length - 1)]
}
