import { dayMs } from '../../kernel/units.ts'

/**
 * Worth keeping: importance and salience together. A budget forgets the records with the lowest value first.
 *
 * The base importance, which is what the record says, counts three times as much as the importance. The importance falls in the first
 * weeks of a record that is not used, so by itself it would keep whatever is new. Salience counts little for the same reason: a
 * record that has faded to the pruning threshold of 0.001 needs 1.24 times the worth of a fresh one.
 */

/** The share of the salience. Part of the index `records_keeping` as 32, its inverse. */
export const keepingExponent = 1 / 32

/** How often the base importance counts beside the score. Part of the index `records_keeping`. */
export const baseShare = 3

/** A record younger than this, or restored since, is forgotten for a budget only when nothing else is left. */
export const budgetGraceMs = dayMs

type Worth = { importance: number; base_importance: number }

export function computeKeeping({ importance, base_importance: base }: Worth, salience: number): number {
  return ((importance + baseShare * base) / (1 + baseShare)) * salience ** keepingExponent
}
