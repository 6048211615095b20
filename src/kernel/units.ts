const unitMilliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** The first and the last moment that RFC 3339, JavaScript and PostgreSQL all write the same way. */
const firstMoment = Date.parse('0001-01-01T00:00:00.000Z')
const lastMoment = Date.parse('9999-12-31T00:00:00.000Z')

/** `1h`, `15m`, `30d`, a bare `0`, or `never`, which is infinite; undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (text === 'never') return Number.POSITIVE_INFINITY
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text)
  if (!match) return undefined
  const unit = match[2] as keyof typeof unitMilliseconds
  return Number(match[1]) * unitMilliseconds[unit]
}

/** The largest unit that says it without a fraction: 3600000 is `1h`, 90000 is `90s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0'
  if (milliseconds === Number.POSITIVE_INFINITY) return 'never'
  const units = Object.entries(unitMilliseconds).reverse()
  const [unit, size] = units.find(([, size]) => milliseconds % size === 0) ?? ['ms', 1]
  return `${milliseconds / size}${unit}`
}

/** Never a moment that cannot be stored: `never` after now is the end of the year 9999. */
export function momentAfter(moment: Date, milliseconds: number): Date {
  return new Date(Math.min(moment.getTime() + milliseconds, lastMoment))
}

/** `never` before now is the first day of the year 1, which precedes every record. */
export function momentBefore(moment: Date, milliseconds: number): Date {
  return new Date(Math.max(moment.getTime() - milliseconds, firstMoment))
}
