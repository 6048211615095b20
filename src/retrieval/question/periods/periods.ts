import { dayMs } from '../../../kernel/units.ts'

/** Days, weeks, months, seasons and years of the calendar as ranges of time, in UTC. */

/** Milliseconds; `until` is not part of it. */
export type Range = { from: number; until: number }

/** In how many years a date without a year can be. */
const maxYears = 30

/** A date as a question names it. Without a year it means every year, without a month the whole year, without a day the whole month. */
export type NamedDate = {
  year: string | undefined
  /** From 1. */
  month?: number
  /** How many months, from this one on. */
  months?: number
  day?: string | undefined
}

/** The ranges of a date in the years until the one after `at`. */
export function listDateRanges(at: Date, { year, month = 0, months = 1, day }: NamedDate): Range[] {
  const latest = at.getUTCFullYear() + 1
  const years = year === undefined ? listYears(latest) : [Number(year)]
  return years.flatMap((y) =>
    listRangesOfYear(y, { month, months, date: day === undefined ? undefined : Number(day) }),
  )
}

const listYears = (latest: number) => Array.from({ length: maxYears }, (_, back) => latest - back)

/** None for a date that the month does not have. */
function listRangesOfYear(
  year: number,
  { month, months, date }: { month: number; months: number; date: number | undefined },
): Range[] {
  if (month === 0) return [{ from: Date.UTC(year, 0), until: Date.UTC(year + 1, 0) }]
  if (date === undefined)
    return [{ from: Date.UTC(year, month - 1), until: Date.UTC(year, month - 1 + months) }]
  const from = Date.UTC(year, month - 1, date)
  return new Date(from).getUTCDate() === date ? [{ from, until: from + dayMs }] : []
}

/** The day, week, month or year of `at`, or one that is `back` units earlier. A week begins on Monday. */
export function computeCalendarRange(at: Date, unit: string, back: number): Range {
  const y = at.getUTCFullYear()
  const m = at.getUTCMonth()
  const today = Math.floor(at.getTime() / dayMs) * dayMs
  if (unit === 'day') return { from: today - back * dayMs, until: today - (back - 1) * dayMs }
  if (unit === 'week') {
    const monday = today - ((at.getUTCDay() + 6) % 7) * dayMs
    return { from: monday - 7 * back * dayMs, until: monday - 7 * (back - 1) * dayMs }
  }
  if (unit === 'month') return { from: Date.UTC(y, m - back), until: Date.UTC(y, m - back + 1) }
  return { from: Date.UTC(y - back, 0), until: Date.UTC(y - back + 1, 0) }
}

/** The instant `back` minutes, hours, days, weeks, months or years before `at`. */
export function subtractUnits(at: Date, unit: string, back: number): number {
  const days = { minute: 1 / 1440, hour: 1 / 24, day: 1, week: 7, month: 30.44, year: 365.25 }[unit] ?? 1
  return at.getTime() - back * days * dayMs
}

/** The last such day before today. */
export function findLatestWeekday(at: Date, weekday: number): Range {
  const back = (at.getUTCDay() - weekday + 7) % 7 || 7
  return computeCalendarRange(at, 'day', back)
}

/** The last Saturday and Sunday before today's week. */
export function findLastWeekend(at: Date): Range {
  const { from: monday } = computeCalendarRange(at, 'week', 0)
  return { from: monday - 2 * dayMs, until: monday }
}

const firstMonth: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 }

/** Three whole months, those of the northern hemisphere; a winter is named after the year in which it begins or ends. */
export function listSeasonRanges(
  at: Date,
  name: string,
  { year, which }: { year?: string | undefined; which?: string | undefined } = {},
): Range[] {
  const first = firstMonth[name] ?? 0
  const createSeason = (y: number): Range => ({ from: Date.UTC(y, first), until: Date.UTC(y, first + 3) })
  if (year !== undefined)
    return name === 'winter'
      ? [createSeason(Number(year)), createSeason(Number(year) - 1)]
      : [createSeason(Number(year))]
  const begun = listYears(at.getUTCFullYear())
    .map(createSeason)
    .filter(({ from }) => from <= at.getTime())
  if (which === undefined) return begun
  if (which === 'this') return begun.slice(0, 1)
  return begun.filter(({ until }) => until <= at.getTime()).slice(0, 1)
}

/** A day within the years of four digits, with one more on each side of it. */
const earliest = Date.parse('0001-01-02')
const latest = Date.parse('9999-12-31')

/** The same time as ranges that neither meet nor leave the years of four digits, the newest first. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = []
  const clamped = ranges.map(({ from, until }) => ({
    from: Math.max(from, earliest),
    until: Math.min(until, latest),
  }))
  for (const range of clamped.toSorted((one, other) => other.until - one.until)) {
    const newer = merged.at(-1)
    if (newer && range.until >= newer.from) newer.from = Math.min(newer.from, range.from)
    else if (range.from < range.until) merged.push(range)
  }
  return merged
}

/** Days as `yyyy-mm-dd`, first and last. */
export type DayRange = readonly [first: string, last: string]

/** The days of some periods, and one more on each side. */
export function toDayRanges(ranges: readonly Range[]): DayRange[] {
  const formatDay = (time: number) => new Date(time).toISOString().slice(0, 10)
  return ranges.map(({ from, until }) => [formatDay(from - dayMs), formatDay(until + dayMs)])
}
