/** Splits the ids of records, in their order, into parts whose records have at most `most` bytes together, or are alone. */
export function splitBySize(
  ids: readonly string[],
  sizes: ReadonlyMap<string, number>,
  most: number,
): string[][] {
  const parts: string[][] = []
  let part: string[] = []
  let bytes = 0
  for (const id of ids) {
    const size = sizes.get(id) ?? 0
    if (part.length > 0 && bytes + size > most) {
      parts.push(part)
      part = []
      bytes = 0
    }
    part.push(id)
    bytes += size
  }
  return part.length === 0 ? parts : [...parts, part]
}
