import { createReader, type PeriodReader, year } from './period-reader.ts'
import {
  computeCalendarRange,
  findLastWeekend,
  findLatestWeekday,
  listDateRanges,
  listSeasonRanges,
  type Range,
  subtractUnits,
} from './periods.ts'

/** Times in English. */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const month =
  '(jan|january|feb|february|mar|march|apr|april|may|june?|july?|aug|august|sept?|september|oct|october|nov|november|dec|december)'
/** These are neither verbs nor names, so they need no word before them. */
const plainMonth = '(january|february|july|september|october|november|december)'
const number = '(\\d{1,2})(?:st|nd|rd|th)?'
/** "may" and "march" are verbs as well, so such a month alone needs a word before it. */
const opening =
  '(?:(?:in|during|before|after|since|until|till|of|between|from|last|this|early|mid|late)[ -]|(?:between|from) [\\p{L}\\p{N}, ]{3,30} (?:and|to|until|till) )'
const season = '(spring|summer|autumn|fall|winter)'
const ordinals = ['first', 'second', 'third', 'fourth']
const counts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const count = `(\\d{1,3}|an?|${counts.join('|')})`
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
/** A verb in the past. Without one, "on Monday" is the next one. */
const past = '(?<![\\p{L}\\p{N}])(?:did|was|were|had)(?![\\p{L}\\p{N}])'

/** The most specific first. */
export const englishPeriodReaders: readonly PeriodReader[] = [
  createReader(`${number} ?[-–] ?${number} (?:of )?${month}(?:,? ${year})?`, ([first, last, m, y], at) =>
    listDaySpans(at, { year: y, month: m, first, last }),
  ),
  createReader(`${month} ${number} ?[-–] ?${number}(?:,? ${year})?`, ([m, first, last, y], at) =>
    listDaySpans(at, { year: y, month: m, first, last }),
  ),
  createReader(`${number} (?:of )?${month}(?:,? ${year})?`, ([d, m, y], at) =>
    listMonthRanges(at, { year: y, month: m, day: d }),
  ),
  createReader(`${month} ${number}(?:,? ${year})?`, ([m, d, y], at) =>
    listMonthRanges(at, { year: y, month: m, day: d }),
  ),
  createReader(`${month},? (?:of )?${year}`, ([m, y], at) => listMonthRanges(at, { year: y, month: m })),
  createReader(`(?:${month}(?<=(?<![\\p{L}\\p{N}])${opening}\\p{L}{3,9})|${plainMonth})`, ([m, plain], at) =>
    listMonthRanges(at, { month: m ?? plain }),
  ),
  createReader(`(?:q([1-4])|(first|second|third|fourth) quarter)(?: (?:of )?${year})?`, ([q, word, y], at) =>
    listPartsOfYear(at, y, Number(q ?? ordinals.indexOf(word ?? '') + 1), 3),
  ),
  createReader(`(?:h([12])|(first|second) half),? (?:of )?${year}`, ([half, word, y], at) =>
    listPartsOfYear(at, y, Number(half ?? ordinals.indexOf(word ?? '') + 1), 6),
  ),
  createReader(`${season},? (?:of )?${year}`, ([name, y], at) =>
    listSeasonRanges(at, name ?? '', { year: y }),
  ),
  createReader(`(last|this) ${season}`, ([which, name], at) => listSeasonRanges(at, name ?? '', { which })),
  createReader(`(?:in|during|over)(?: the)? ${season}`, ([name], at) => listSeasonRanges(at, name ?? '')),
  createReader(year, ([y], at) => listDateRanges(at, { year: y })),
  createReader(`${count} (minute|hour)s? ago`, ([n, unit], at) => [
    {
      from: subtractUnits(at, unit ?? '', parseNumber(n) + 1),
      until: subtractUnits(at, unit ?? '', parseNumber(n) - 1) + 1,
    },
  ]),
  createReader(`${count} (day|week|month|year)s? ago`, ([n, unit], at) => [
    computeCalendarRange(at, unit ?? '', parseNumber(n)),
  ]),
  createReader('(a couple of|a few|several) (day|week|month|year)s ago', ([name, unit = ''], at) => [
    {
      from: computeCalendarRange(at, unit, countAtMost(name)).from,
      until: computeCalendarRange(at, unit, 2).until,
    },
  ]),
  createReader(`(?:last|past|previous) ${count} (minute|hour|day|week|month|year)s?`, ([n, unit], at) => [
    listUntilNow(at, unit, parseNumber(n)),
  ]),
  createReader(
    '(?:last|past) (couple of|few|several) (minute|hour|day|week|month|year)s',
    ([name, unit], at) => [listUntilNow(at, unit, countAtMost(name))],
  ),
  createReader('(?:past (day|week|month|year)|(?:last|past) (hour))', ([unit, hour], at) => [
    listUntilNow(at, unit ?? hour, 1),
  ]),
  createReader(`(?:last |(?<=(?:since|after) )|(?<=${past}.*)on )(${weekdays.join('|')})`, ([name], at) => [
    findLatestWeekday(at, weekdays.indexOf(name ?? '')),
  ]),
  createReader('the day before yesterday', (_, at) => [computeCalendarRange(at, 'day', 2)]),
  createReader('(?:today|this (?:morning|afternoon|evening)|tonight)', (_, at) => [
    computeCalendarRange(at, 'day', 0),
  ]),
  createReader('(?:yesterday|last night)', (_, at) => [computeCalendarRange(at, 'day', 1)]),
  createReader('last weekend', (_, at) => [findLastWeekend(at)]),
  createReader('(this|last) (week|month|year)', ([which, unit], at) => [
    computeCalendarRange(at, unit ?? '', which === 'this' ? 0 : 1),
  ]),
]

type NamedDay = { year?: string | undefined; month: string | undefined; day?: string | undefined }

function listMonthRanges(at: Date, { year: y, month: name, day }: NamedDay): Range[] {
  return listDateRanges(at, { year: y, month: months.indexOf((name ?? '').slice(0, 3)) + 1, day })
}

type NamedSpan = Omit<NamedDay, 'day'> & { first: string | undefined; last: string | undefined }

/** From the first day to the last one, in each year. */
function listDaySpans(at: Date, { first, last, ...named }: NamedSpan): Range[] {
  const ends = listMonthRanges(at, { ...named, day: last })
  return listMonthRanges(at, { ...named, day: first }).flatMap(({ from }, index) => {
    const end = ends[index]
    return end && end.from >= from ? [{ from, until: end.until }] : []
  })
}

/** The second quarter has `part` 2 and `length` 3. */
function listPartsOfYear(at: Date, y: string | undefined, part: number, length: number): Range[] {
  return listDateRanges(at, { year: y, month: length * (part - 1) + 1, months: length })
}

function listUntilNow(at: Date, unit: string | undefined, units: number): Range {
  return { from: subtractUnits(at, unit ?? '', units), until: at.getTime() + 1 }
}

function parseNumber(text = ''): number {
  return /^\d/.test(text) ? Number(text) : Math.max(1, counts.indexOf(text) + 1)
}

/** How many "a couple of", "a few" or "several" may be. */
function countAtMost(words = ''): number {
  return words.endsWith('couple of') ? 3 : 6
}
