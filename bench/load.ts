/** Runs `count` calls, `concurrency` of them at a time, and returns the duration of each in ms. */
export async function drive(
  count: number,
  concurrency: number,
  call: (index: number) => Promise<void>,
): Promise<{ seconds: number; latencies: number[] }> {
  const latencies: number[] = []
  let next = 0
  const started = performance.now()
  const loop = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const before = performance.now()
      await call(index)
      latencies.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
  return { seconds: (performance.now() - started) / 1_000, latencies }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Mulberry32: the same numbers in every run, so that two runs measure the same work. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`the benchmark did not do its work: ${message}`)
}
