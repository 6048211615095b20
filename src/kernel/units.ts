export const dayMs = 86_400_000

const unitMilliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: dayMs } as const

/** The first and last moments that RFC 3339, JavaScript and PostgreSQL write in the same way. */
const firstMoment = Date.parse('0001-01-01T00:00:00.000Z')
const lastMoment = Date.parse('9999-12-31T00:00:00.000Z')

/**
 * Parses `1h`, `15m`, `30d`, a bare `0`, or `never`, which is infinite; undefined when the text is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (text === 'never') return Number.POSITIVE_INFINITY
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text)
  if (!match) return undefined
  const unit = match[2] as keyof typeof unitMilliseconds
  return Number(match[1]) * unitMilliseconds[unit]
}

/** Formats with the largest unit that needs no fraction: 3600000 is `1h`, 90000 is `90s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0'
  if (milliseconds === Number.POSITIVE_INFINITY) return 'never'
  const units = Object.entries(unitMilliseconds).reverse()
  const [unit, size] = units.find(([, size]) => milliseconds % size === 0) ?? ['ms', 1]
  return `${milliseconds / size}${unit}`
}

/** How many days lie between two moments; 0 when the second is not after the first. */
export function countDaysBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / unitMilliseconds.d
}

/** The moment after a duration, at most the end of the year 9999, which is `never`. */
export function addMilliseconds(moment: Date, milliseconds: number): Date {
  return new Date(Math.min(moment.getTime() + milliseconds, lastMoment))
}

/** The moment before a duration, at least the first day of the year 1, which precedes every record. */
export function subtractMilliseconds(moment: Date, milliseconds: number): Date {
  return new Date(Math.max(moment.getTime() - milliseconds, firstMoment))
}
