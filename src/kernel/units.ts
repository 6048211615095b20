const unitMilliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `1h`, `15m`, `30d`, or a bare `0`; undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text)
  if (!match) return undefined
  const unit = match[2] as keyof typeof unitMilliseconds
  return Number(match[1]) * unitMilliseconds[unit]
}

/** The largest unit that says it without a fraction: 3600000 is `1h`, 90000 is `90s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0'
  const units = Object.entries(unitMilliseconds).reverse()
  const [unit, size] = units.find(([, size]) => milliseconds % size === 0) ?? ['ms', 1]
  return `${milliseconds / size}${unit}`
}
