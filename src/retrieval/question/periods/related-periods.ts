import type { Range } from './periods.ts'

/** Reads what a question says about the periods that it names: "before July" is not July. */

/** A character that no word contains stands for each period in the sentence. */
const firstPlaceholder = 0xe000
const place = '([\\ue000-\\uf8ff])'

export function createPlaceholder(index: number): string {
  return String.fromCharCode(firstPlaceholder + index)
}

/** The ranges of one year each, the newest first. */
type Named = readonly Range[]
type Relation = {
  pattern: RegExp
  read: (periods: readonly Named[], at: Date) => readonly Range[]
}

/** Messages about "the week before 3 August" are mostly from that day, so this is no time before it. */
const units = 'day|night|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday'
const notOfUnit = `(?<!\\b(?:${units})s? (?:right |just )?)`

const relations: readonly Relation[] = [
  {
    pattern: new RegExp(`\\b(?:between|from) ${place} (?:and|to|until|till) ${place}`, 'gu'),
    read: ([first = [], last = []], at) => {
      const end = findLatestBegun(last, at)
      const start = end && first.find(({ from }) => from <= end.from)
      return start && end ? [{ from: start.from, until: end.until }] : [...first, ...last]
    },
  },
  {
    pattern: new RegExp(`${notOfUnit}\\b(?:before|prior to) ${place}`, 'gu'),
    read: ([named = []], at) => listUntil((findLatestBegun(named, at) ?? named.at(-1))?.from),
  },
  {
    pattern: new RegExp(`\\b(?:until|till|up to) ${place}`, 'gu'),
    read: ([named = []], at) => listUntil((findLatestBegun(named, at) ?? named.at(-1))?.until),
  },
  {
    pattern: new RegExp(`\\bsince ${place}|\\bfrom ${place} on(?:wards?)?\\b`, 'gu'),
    read: ([named = []], at) => listFrom(findLatestBegun(named, at)?.from, at) ?? named,
  },
  {
    pattern: new RegExp(`${notOfUnit}\\bafter ${place}`, 'gu'),
    read: ([named = []], at) =>
      listFrom(named.find(({ until }) => until <= at.getTime())?.until, at) ?? named,
  },
]

/** The ranges that a sentence is about, with places instead of the periods that it names. */
export function relatePeriods(sentence: string, named: readonly Named[], at: Date): Range[] {
  const found: Range[] = []
  const getPeriod = (character: string) => named[character.charCodeAt(0) - firstPlaceholder] ?? []
  let rest = sentence
  for (const { pattern, read } of relations) {
    rest = rest.replace(pattern, (whole) => {
      found.push(...read((whole.match(new RegExp(place, 'gu')) ?? []).map(getPeriod), at))
      return ' '
    })
  }
  return [...found, ...(rest.match(new RegExp(place, 'gu')) ?? []).flatMap(getPeriod)]
}

/** The range of the last year in which a date without a year had begun. */
function findLatestBegun(named: Named, at: Date): Range | undefined {
  return named.find(({ from }) => from <= at.getTime())
}

function listUntil(until: number | undefined): Range[] {
  return until === undefined ? [] : [{ from: -Infinity, until }]
}

function listFrom(from: number | undefined, at: Date): Range[] | undefined {
  return from === undefined ? undefined : [{ from, until: at.getTime() + 1 }]
}
