import { countOccurrences } from '../../kernel/collections/occurrences.ts'

/** The shortest reference. Ids of one moment begin alike, so a reference is the end of an id. */
const shortest = 6

/**
 * Returns for each id the shortest end of it, of at least six hexadecimal digits, that no other of the ids has.
 */
export function shortenIds(ids: readonly string[]): Map<string, string> {
  const references = new Map<string, string>()
  let left = new Map(ids.map((id) => [id, id.replaceAll('-', '')]))
  for (let length = shortest; left.size > 0; length++) {
    const counts = countOccurrences(Array.from(left.values(), (digits) => digits.slice(-length)))
    const ambiguous = new Map<string, string>()
    for (const [id, digits] of left) {
      const end = digits.slice(-length)
      if (counts.get(end) === 1 || length >= digits.length) references.set(id, end)
      else ambiguous.set(id, digits)
    }
    left = ambiguous
  }
  return references
}
