import { rarityOf } from '../domain/common-words.ts'
import { calendarRange, countBack, datesInYears, latestWeekday, type Range, seasonRanges } from './periods.ts'

/** Finds the time that a question in English asks about: a day, a month, a season, a year, or one counted from `at`. All times are UTC. */

export type AskedPeriods = {
  /** Newest first. */
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
const opening = '(?:in|during|since|until|of|from|last|this|early|mid|late)'
const season = '(spring|summer|autumn|fall|winter)'
const counts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const count = `(\\d{1,3}|an?|${counts.join('|')})`
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const pattern = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}-])${source}(?![\\p{L}\\p{N}-])`, 'gu')

type Reader = {
  pattern: RegExp
  read: (groups: readonly (string | undefined)[], at: Date) => readonly Range[]
}
const reader = (source: string, read: Reader['read']): Reader => ({ pattern: pattern(source), read })

/** The most specific first: what one has read is not read again. */
const readers: readonly Reader[] = [
  reader(`${year}-(\\d\\d)-(\\d\\d)`, ([y, m, d], at) => datesInYears(at, y, Number(m), d)),
  reader(`${year}-(\\d\\d)`, ([y, m], at) => datesInYears(at, y, Number(m))),
  reader(`${number} (?:of )?${month}(?:,? ${year})?`, ([d, m, y], at) => named(at, m, y, d)),
  reader(`${month} ${number}(?:,? ${year})?`, ([m, d, y], at) => named(at, m, y, d)),
  reader(`${month},? (?:of )?${year}`, ([m, y], at) => named(at, m, y)),
  reader(`(?:${opening}[ -]${month}|${plainMonth})`, ([m, plain], at) => named(at, m ?? plain, undefined)),
  reader(`(?:q([1-4])|(first|second|third|fourth) quarter)(?: (?:of )?${year})?`, ([q, word, y], at) =>
    datesInYears(at, y, 3 * (Number(q ?? ordinals.indexOf(word ?? '') + 1) - 1) + 1, undefined, 3),
  ),
  reader(`${season},? (?:of )?${year}`, ([name, y], at) => seasonRanges(at, name ?? '', y)),
  reader(`(last|this) ${season}`, ([which, name], at) => seasonRanges(at, name ?? '', undefined, which)),
  reader(`(?:in|during|over)(?: the)? ${season}`, ([name], at) => seasonRanges(at, name ?? '')),
  reader(year, ([y], at) => datesInYears(at, y)),
  reader(`${count} (day|week|month|year)s? ago`, ([n, unit], at) => [
    calendarRange(at, unit ?? '', numberOf(n)),
  ]),
  reader(`(?:last|past|previous) ${count} (day|week|month|year)s?`, ([n, unit], at) => [
    { from: countBack(at, unit ?? '', numberOf(n)), until: at.getTime() + 1 },
  ]),
  reader(`last (${weekdays.join('|')})`, ([name], at) => [latestWeekday(at, weekdays.indexOf(name ?? ''))]),
  reader('(today|yesterday)', ([name], at) => [calendarRange(at, 'day', name === 'today' ? 0 : 1)]),
  reader('(this|last) (week|month|year)', ([which, unit], at) => [
    calendarRange(at, unit ?? '', which === 'this' ? 0 : 1),
  ]),
]

const ordinals = ['first', 'second', 'third', 'fourth']

/** Longer texts are documents, and every date in them would count. */
const mostCharacters = 1_000

/** Returns the periods that the question names; undefined where it names none. */
export function readPeriods(text: string, at: Date): AskedPeriods | undefined {
  if (text.length > mostCharacters) return undefined
  let rest = text.toLowerCase().replace(/\s+/gu, ' ')
  const found: Range[] = []
  for (const { pattern, read } of readers) {
    rest = rest.replace(pattern, (_, ...groups) => {
      found.push(...read(groups, at))
      return '|'
    })
  }
  if (found.length === 0) return undefined
  const ranges = found.sort((one, other) => other.from - one.from)
  return {
    ranges,
    includes: (time) => ranges.some(({ from, until }) => time.getTime() >= from && time.getTime() < until),
    isAll: (rest.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}']*/gu) ?? []).every(saysNothing),
  }
}

/** What a question about a time says beside the time. */
const aboutSaying =
  /^(?:discuss|mention|decid|decision|notes?$|noted$|writ|wrote|entr(?:y|ies)$|topics?$|conversation|chat|summar|recap|record|events?$|report|logs?$|logged$|news$|occur|overview|list|memor|sessions?$|messages?$|during$|until$|since$|between$|early$|late$|mid$)/u

function saysNothing(word: string): boolean {
  return rarityOf(word) < rarityOf('') || aboutSaying.test(word)
}

function named(at: Date, name: string | undefined, year: string | undefined, day?: string) {
  return datesInYears(at, year, months.indexOf((name ?? '').slice(0, 3)) + 1, day)
}

function numberOf(text = ''): number {
  return /^\d/.test(text) ? Number(text) : Math.max(1, counts.indexOf(text) + 1)
}
