/** Finds the time that a question in English asks about: a day, a month, a year, or one counted from `at`. All times are UTC. */

/** What is not given matches every year, month or day. */
type Period = { year?: number; month?: number; day?: number } | { from: number; until: number }

const day = 86_400_000

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const month =
  '(jan|january|feb|february|mar|march|apr|april|may|june?|july?|aug|august|sept?|september|oct|october|nov|november|dec|december)'
const number = '(\\d{1,2})(?:st|nd|rd|th)?'
const year = '((?:19|20)\\d\\d)'
/** "may" and "march" are verbs as well, so a month alone needs a word before it. */
const opening = '(?:in|during|since|until|of|last|this|early|mid|late)'

const pattern = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}-])${source}(?![\\p{L}\\p{N}-])`, 'gu')

type Reader = { pattern: RegExp; read: (groups: readonly (string | undefined)[]) => Period }

/** The most specific first: what one has read is not read again. */
const readers: readonly Reader[] = [
  { pattern: pattern(`${year}-(\\d\\d)-(\\d\\d)`), read: ([y, m, d]) => dateOf(y, Number(m), d) },
  { pattern: pattern(`${year}-(\\d\\d)`), read: ([y, m]) => dateOf(y, Number(m)) },
  { pattern: pattern(`${number} (?:of )?${month}(?:,? ${year})?`), read: ([d, m, y]) => named(m, y, d) },
  { pattern: pattern(`${month} ${number}(?:,? ${year})?`), read: ([m, d, y]) => named(m, y, d) },
  { pattern: pattern(`${month},? (?:of )?${year}`), read: ([m, y]) => named(m, y) },
  { pattern: pattern(`${opening}[ -]${month}`), read: ([m]) => named(m, undefined) },
  { pattern: pattern(year), read: ([y]) => dateOf(y) },
]

const relative = pattern('(today|yesterday|(?:this|last) (?:week|month|year))')

/** Longer texts are documents, and every date in them would count. */
const mostCharacters = 1_000

/** Returns whether a time is of a period that the question names; undefined where it names none. */
export function readPeriods(text: string, at: Date): ((time: Date) => boolean) | undefined {
  if (text.length > mostCharacters) return undefined
  let rest = text.toLowerCase().replace(/\s+/gu, ' ')
  const periods: Period[] = []
  for (const { pattern, read } of readers) {
    rest = rest.replace(pattern, (_, ...groups) => {
      periods.push(read(groups))
      return '|'
    })
  }
  for (const [, name] of rest.matchAll(relative)) periods.push(countFrom(at, name ?? ''))
  return periods.length === 0 ? undefined : (time) => periods.some((period) => isWithin(period, time))
}

function dateOf(year: string | undefined, month?: number, day?: string): Period {
  return {
    ...(year === undefined ? {} : { year: Number(year) }),
    ...(month === undefined ? {} : { month }),
    ...(day === undefined ? {} : { day: Number(day) }),
  }
}

function named(name: string | undefined, year: string | undefined, day?: string): Period {
  return dateOf(year, months.indexOf((name ?? '').slice(0, 3)) + 1, day)
}

/** A week begins on Monday. */
function countFrom(at: Date, name: string): Period {
  const [y, m] = [at.getUTCFullYear(), at.getUTCMonth()]
  const today = Math.floor(at.getTime() / day) * day
  const monday = today - ((at.getUTCDay() + 6) % 7) * day
  const periods: Record<string, readonly [from: number, until: number]> = {
    today: [today, today + day],
    yesterday: [today - day, today],
    'this week': [monday, monday + 7 * day],
    'last week': [monday - 7 * day, monday],
    'this month': [Date.UTC(y, m), Date.UTC(y, m + 1)],
    'last month': [Date.UTC(y, m - 1), Date.UTC(y, m)],
    'this year': [Date.UTC(y, 0), Date.UTC(y + 1, 0)],
    'last year': [Date.UTC(y - 1, 0), Date.UTC(y, 0)],
  }
  const [from = 0, until = 0] = periods[name] ?? []
  return { from, until }
}

function isWithin(period: Period, time: Date): boolean {
  if ('from' in period) return time.getTime() >= period.from && time.getTime() < period.until
  return (
    (period.year ?? time.getUTCFullYear()) === time.getUTCFullYear() &&
    (period.month ?? time.getUTCMonth() + 1) === time.getUTCMonth() + 1 &&
    (period.day ?? time.getUTCDate()) === time.getUTCDate()
  )
}
