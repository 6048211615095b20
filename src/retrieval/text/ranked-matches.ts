import { compareMatches, type Match } from '../match.ts'

/** The best matches, and how rare each word of the question is. */
export type RankedMatches = { matches: Match[]; idfs: ReadonlyMap<string, number> }

export const noMatches: RankedMatches = { matches: [], idfs: new Map() }

/** Returns the best of both. The second knows how rare the words are only if the first has found none. */
export function mergeRanked(one: RankedMatches, other: RankedMatches, limit: number): RankedMatches {
  const byId = new Map([...one.matches, ...other.matches].map((match) => [match.id, match]))
  return {
    matches: [...byId.values()].sort(compareMatches).slice(0, limit),
    idfs: one.idfs.size > 0 ? one.idfs : other.idfs,
  }
}
