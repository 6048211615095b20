import { computeRarity } from '../../../domain/words/common-words.ts'
import { digitDateReaders } from './digit-dates.ts'
import { englishPeriodReaders } from './english-periods.ts'
import { otherDateReaders, otherRelativeReaders } from './other-language-periods.ts'
import { mergeRanges, type Range } from './periods.ts'
import { createPlaceholder, relatePeriods } from './related-periods.ts'

/** Finds the time that a question asks about: a day, a month, a season, a year, or one counted from `at`. All times are UTC. */

export type PeriodsInQuestion = {
  /** Apart from each other, the newest first. */
  ranges: readonly Range[]
  includes: (time: Date) => boolean
  /** Whether the question names nothing else, as "What did we discuss in May?": every record of that time answers it. */
  isAll: boolean
}

/** The most specific first: what one has read is not read again. */
const readers = [...digitDateReaders, ...otherDateReaders, ...englishPeriodReaders, ...otherRelativeReaders]

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
