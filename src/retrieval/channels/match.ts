import { compareTexts } from '../../kernel/text-order.ts'

/** A record that a search found, and how well it fits. */
export type Match = { id: string; score: number }

/** Orders the best first. Ties are ordered by id, so that the same question gets the same answer. */
export function compareMatches(one: Match, other: Match): number {
  return other.score - one.score || compareTexts(one.id, other.id)
}
