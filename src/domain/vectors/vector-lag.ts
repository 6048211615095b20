/** Upper bounds, in seconds, of the time from a text to its vector. A last bucket without a bound follows. */
export const lagBounds = [1, 2, 5, 10, 30, 60, 300, 1_800, 7_200] as const

/**
 * Counts the waiting times: one counter for each bound that was kept, cumulative as in a Prometheus histogram.
 */
export function countLags(seconds: readonly number[]): Record<string, number> {
  if (seconds.length === 0) return {}
  const waited = seconds.map((lag) => Math.max(0, lag))
  const within = lagBounds.map((bound) => [
    `vector_lag/${bound}`,
    waited.filter((lag) => lag <= bound).length,
  ])
  return {
    ...Object.fromEntries(within),
    vector_lag_count: waited.length,
    vector_lag_sum: waited.reduce((sum, lag) => sum + lag, 0),
  }
}
