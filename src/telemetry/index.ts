export { traceStatements } from './statements.ts'
export { startTracing, type TracingSettings } from './tracing.ts'
