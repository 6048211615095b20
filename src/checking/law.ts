import type { Database } from '../db/connection.ts'

/** Breaches that are listed by name; enough to see what they have in common. */
export const maxNamed = 20

/** How many rows a law concerns, how many break it, and the names of some of them. Never their content. */
export type Finding = { checked: number; broken: number; named: readonly string[] }

/** A statement that is true of the whole store between any two transactions, even after a crash. */
export type Law = {
  name: string
  statement: string
  find(db: Database, now: Date): Promise<Finding>
}

/** The result of a law, or why it could not be checked. */
export type Verdict = Pick<Law, 'name' | 'statement'> & (Finding | { unchecked: string })

export function isSatisfied(verdict: Verdict): boolean {
  return 'broken' in verdict && verdict.broken === 0
}

/** One line for an operator, with ids and figures only. */
export function describeVerdict(verdict: Verdict): string {
  const { name, statement } = verdict
  if ('unchecked' in verdict) return `?       ${name}: not checked, ${verdict.unchecked}`
  const { checked, broken, named } = verdict
  if (broken === 0) return `ok      ${name}: ${checked} checked`
  const more = broken > named.length ? ', …' : ''
  return `BROKEN  ${name}: ${broken} of ${checked}: ${statement}: ${named.join(', ')}${more}`
}
