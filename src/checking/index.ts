/**
 * Laws of the whole store, and the check that runs them.
 * A law is a query that reads and never changes anything. It holds between any two transactions.
 * Not here: constraints that PostgreSQL enforces itself (migrations/), and the command line (src/process/).
 */
export { createChecking } from './checking.service.ts'
export { describeVerdict, isSatisfied } from './law.ts'
