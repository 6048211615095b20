import type { createPostingLists } from './posting-lists.ts'

type Postings = Pick<ReturnType<typeof createPostingLists>, 'countAmong'>

/** For each of some places, how often its text contains the word of each list; undefined for a word that no text contains. */
export function countWords(
  postings: Postings,
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
