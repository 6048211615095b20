/** Upper bounds in seconds of how long a text may have waited for its vector; beyond the last there is no bound. */
export const lagBounds = [1, 2, 5, 10, 30, 60, 300, 1_800, 7_200] as const

/** How long each text waited, as counts: one for each bound it kept, so that they add up as Prometheus adds them. */
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
