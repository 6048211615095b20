import { compareMatches, type Match } from '../channels/match.ts'
import type { WeighedStem } from './stems/related-stems.ts'

/** The best matches, how rare each word of the question is, and what stands for these words. */
export type RankedMatches = {
  matches: Match[]
  idfs: ReadonlyMap<string, number>
  related: readonly WeighedStem[]
}

export const noMatches: RankedMatches = { matches: [], idfs: new Map(), related: [] }

/** Returns the best of both. The second knows how rare the words are only if the first has found none. */
export function mergeRanked(one: RankedMatches, other: RankedMatches, limit: number): RankedMatches {
  const byId = new Map([...one.matches, ...other.matches].map((match) => [match.id, match]))
  return {
    matches: [...byId.values()].sort(compareMatches).slice(0, limit),
    idfs: one.idfs.size > 0 ? one.idfs : other.idfs,
    related: one.related.length > 0 ? one.related : other.related,
  }
}
