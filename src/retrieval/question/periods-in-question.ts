import { computeRarity } from '../../domain/words/common-words.ts'
import {
  computeCalendarRange,
  findLatestWeekday,
  listDateRanges,
  listSeasonRanges,
  mergeRanges,
  type Range,
  subtractUnits,
} from './periods.ts'
import { createPlaceholder, relatePeriods } from './related-periods.ts'

/** Finds the time that a question in English asks about: a day, a month, a season, a year, or one counted from `at`. All times are UTC. */

export type PeriodsInQuestion = {
  /** Apart from each other, the newest first. */
  ranges: readonly Range[]
  includes: (time: Date) => boolean
  /** Whether the question names nothing else, as "What did we discuss in May?": every record of that time answers it. */
  isAll: boolean
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const month =
  '(jan|january|feb|february|mar|march|apr|april|may|june?|july?|aug|august|sept?|september|oct|october|nov|november|dec|december)'
/** These are neither verbs nor names, so they need no word before them. */
const plainMonth = '(january|february|july|september|october|november|december)'
const number = '(\\d{1,2})(?:st|nd|rd|th)?'
const year = '((?:19|20)\\d\\d)'
/** "may" and "march" are verbs as well, so such a month alone needs a word before it. */
const opening =
  '(?:(?:in|during|before|after|since|until|till|of|between|from|last|this|early|mid|late)[ -]|(?:between|from) [\\p{L}\\p{N}, ]{3,30} (?:and|to|until|till) )'
const season = '(spring|summer|autumn|fall|winter)'
const counts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const count = `(\\d{1,3}|an?|${counts.join('|')})`
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const createPattern = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}-])${source}(?![\\p{L}\\p{N}-])`, 'gu')

type Reader = {
  pattern: RegExp
  read: (groups: readonly (string | undefined)[], at: Date) => readonly Range[]
}
const createReader = (source: string, read: Reader['read']): Reader => ({
  pattern: createPattern(source),
  read,
})

/** The most specific first: what one has read is not read again. */
const readers: readonly Reader[] = [
  createReader(`${year}-(\\d\\d)-(\\d\\d)`, ([y, m, d], at) =>
    listDateRanges(at, { year: y, month: Number(m), day: d }),
  ),
  createReader(`${year}-(\\d\\d)`, ([y, m], at) => listDateRanges(at, { year: y, month: Number(m) })),
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
    listQuarterRanges(at, y, Number(q ?? ordinals.indexOf(word ?? '') + 1)),
  ),
  createReader(`${season},? (?:of )?${year}`, ([name, y], at) =>
    listSeasonRanges(at, name ?? '', { year: y }),
  ),
  createReader(`(last|this) ${season}`, ([which, name], at) => listSeasonRanges(at, name ?? '', { which })),
  createReader(`(?:in|during|over)(?: the)? ${season}`, ([name], at) => listSeasonRanges(at, name ?? '')),
  createReader(year, ([y], at) => listDateRanges(at, { year: y })),
  createReader(`${count} (day|week|month|year)s? ago`, ([n, unit], at) => [
    computeCalendarRange(at, unit ?? '', parseNumber(n)),
  ]),
  createReader(`(?:last|past|previous) ${count} (day|week|month|year)s?`, ([n, unit], at) => [
    { from: subtractUnits(at, unit ?? '', parseNumber(n)), until: at.getTime() + 1 },
  ]),
  createReader(`(?:last |(?<=(?:since|after) ))(${weekdays.join('|')})`, ([name], at) => [
    findLatestWeekday(at, weekdays.indexOf(name ?? '')),
  ]),
  createReader('(today|yesterday)', ([name], at) => [
    computeCalendarRange(at, 'day', name === 'today' ? 0 : 1),
  ]),
  createReader('(this|last) (week|month|year)', ([which, unit], at) => [
    computeCalendarRange(at, unit ?? '', which === 'this' ? 0 : 1),
  ]),
]

const ordinals = ['first', 'second', 'third', 'fourth']

/** Longer texts are documents, and every date in them would count. */
const maxCharacters = 1_000
/** A text that names more times is a list of dates, and each may be of thirty years. */
const maxNamed = 10

/** Returns the periods that the question names; undefined where it names none. */
export function readPeriods(text: string, at: Date): PeriodsInQuestion | undefined {
  if (text.length > maxCharacters) return undefined
  let rest = text
    .toLowerCase()
    .replace(/[\s\ue000-\uf8ff]+/gu, ' ')
    .replace(/\b(early|mid|late)-/gu, '$1 ')
  const named: (readonly Range[])[] = []
  for (const { pattern, read } of readers) {
    rest = rest.replace(pattern, (_, ...groups) => {
      named.push(named.length < maxNamed ? read(groups, at) : [])
      return createPlaceholder(Math.min(named.length, maxNamed) - 1)
    })
  }
  const ranges = mergeRanges(relatePeriods(rest, named, at))
  if (ranges.length === 0 || named.length > maxNamed) return undefined
  return {
    ranges,
    includes: (time) => ranges.some(({ from, until }) => time.getTime() >= from && time.getTime() < until),
    isAll: (rest.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}']*/gu) ?? []).every(isFiller),
  }
}

/** The words of a question about a time, beside the time. */
const fillers =
  /^(?:discuss|mention|decid|decision|notes?$|noted$|writ|wrote|entr(?:y|ies)$|topics?$|conversation|chat|summar|recap|record|events?$|report|logs?$|logged$|news$|occur|overview|list|memor|sessions?$|messages?$|during$|until$|since$|between$|early$|late$|mid$)/u

function isFiller(word: string): boolean {
  return computeRarity(word) < computeRarity('') || fillers.test(word)
}

type NamedDay = { year?: string | undefined; month: string | undefined; day?: string | undefined }

function listMonthRanges(at: Date, { year, month, day }: NamedDay): Range[] {
  return listDateRanges(at, { year, month: months.indexOf((month ?? '').slice(0, 3)) + 1, day })
}

function listQuarterRanges(at: Date, year: string | undefined, quarter: number): Range[] {
  return listDateRanges(at, { year, month: 3 * (quarter - 1) + 1, months: 3 })
}

function parseNumber(text = ''): number {
  return /^\d/.test(text) ? Number(text) : Math.max(1, counts.indexOf(text) + 1)
}
