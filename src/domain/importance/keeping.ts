import { dayMs } from '../../kernel/units.ts'

/**
 * The order in which a budget keeps records. Their `keeping` is importance, uses and salience together, and the records with the lowest
 * are forgotten first.
 *
 * The base importance, which is what the record says, counts three times as much as the importance. The importance falls in the first
 * weeks of a record that is not used, so by itself it would keep all that is new. Salience counts little for the same reason: a
 * record that has faded to the pruning threshold of 0.001 needs 1.24 times the importance of a fresh one.
 *
 * Only reported uses count, such as reinforcements, and not that a record was part of an answer. They count as long as the
 * record has not faded since.
 */

/** The share of the salience. Part of the index `records_keeping` as 32, its inverse. */
export const keepingExponent = 1 / 32

/** How often the base importance counts beside the score. Part of the index `records_keeping`. */
export const baseShare = 3

/** What many uses add to the importance of a record that has not faded. docs/quality.md has the figures. */
export const usesShare = 0.4

/** With so many uses, more of them add nothing. */
export const enoughUses = 5

/** A record younger than this, or restored since, is forgotten for a budget only when nothing else is left. */
export const budgetGraceMs = dayMs

export type KeepingFigures = { importance: number; base_importance: number; uses: number }

export function computeKeeping(
  { importance, base_importance: base, uses }: KeepingFigures,
  salience: number,
): number {
  const content = (importance + baseShare * base) / (1 + baseShare)
  const used = Math.min(1, Math.log1p(uses) / Math.log1p(enoughUses)) * Math.min(1, salience)
  return (content + usesShare * used) * salience ** keepingExponent
}
