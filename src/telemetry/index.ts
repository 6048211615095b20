/**
 * The reports of a process about itself: traces to a collector, counters for Prometheus.
 * Spans and labels contain names and numbers, never memory content.
 * Not here: figures of the whole store (src/metrics/) and the log (src/kernel/log.ts).
 */
export { traceStatements } from './statements.ts'
export { startTracing } from './tracing.ts'
