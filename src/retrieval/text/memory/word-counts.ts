import { type createPostingLists, getPlace } from './posting-lists.ts'

type Postings = ReturnType<typeof createPostingLists>

/** How many texts contain the word of a list, among the groups that a search reads. Stops soon after `most`. */
export function countTexts(
  postings: Pick<Postings, 'read'>,
  list: number | undefined,
  { isSearched, group }: { isSearched: Uint8Array; group: Uint32Array },
  most = Number.POSITIVE_INFINITY,
): number {
  let count = 0
  if (list === undefined) return count
  postings.read(list, (entries, from, to) => {
    for (let at = from; at < to; at++)
      count += isSearched[group[getPlace(entries[at] as number)] as number] as number
    return count <= most
  })
  return count
}

/** For each of some places, how often its text contains the word of each list. A list is undefined if no text contains its word. */
export function countWords(
  postings: Pick<Postings, 'countAmong'>,
  lists: readonly (number | undefined)[],
  places: readonly number[],
): number[][] {
  const counts = places.map(() => lists.map(() => 0))
  const ascending = places
    .map((place, at) => ({ place, counted: counts[at] }))
    .sort((one, other) => one.place - other.place)
  const sorted = ascending.map(({ place }) => place)
  for (const [word, list] of lists.entries()) {
    if (list === undefined) continue
    postings.countAmong(list, sorted, (index, count) => {
      const counted = ascending[index]?.counted
      if (counted) counted[word] = count
    })
  }
  return counts
}
