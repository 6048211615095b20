import type { Database } from '../db/connection.ts'

/** Enough of them to see what they have in common. */
export const maxNamed = 20

/** How many were held against a law, how many broke it, and which, as far as they are named. Never what they say. */
export type Finding = { checked: number; broken: number; named: readonly string[] }

/** Something that holds of the whole store between any two transactions, whatever ended the processes before. */
export type Law = {
  name: string
  statement: string
  find(db: Database, now: Date): Promise<Finding>
}

/** Of a law that could not be held against the store, why. */
export type Verdict = Pick<Law, 'name' | 'statement'> & (Finding | { unchecked: string })

export function isSatisfied(verdict: Verdict): boolean {
  return 'broken' in verdict && verdict.broken === 0
}

/** One line for a person, ids and figures only. */
export function describeVerdict(verdict: Verdict): string {
  const { name, statement } = verdict
  if ('unchecked' in verdict) return `?       ${name}: not checked, ${verdict.unchecked}`
  const { checked, broken, named } = verdict
  if (broken === 0) return `ok      ${name}: ${checked} checked`
  const more = broken > named.length ? ', …' : ''
  return `BROKEN  ${name}: ${broken} of ${checked}: ${statement}: ${named.join(', ')}${more}`
}
