import type { RunContext } from './runs.ts'

export function nameTiming(name: string): string {
  return `${name}_ms`
}

/** Counts the milliseconds of each batch as the figure `<name>_ms` of the run. */
export function timeBatches(name: string, inBatch: RunContext['inBatch']): RunContext['inBatch'] {
  const figure = nameTiming(name)
  return (work) =>
    inBatch(async (tx) => {
      const startedMs = performance.now()
      const result = await work(tx)
      const ms = Math.round(performance.now() - startedMs)
      return { ...result, counts: { ...result.counts, [figure]: (result.counts?.[figure] ?? 0) + ms } }
    })
}
