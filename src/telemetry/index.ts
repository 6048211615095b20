export { traceStatements } from './statements.ts'
export { startTracing } from './tracing.ts'
