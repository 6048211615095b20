import type { DayRange } from '../../question/periods/periods.ts'

/** Ranges of days, the newest first, to compare with those of many texts. */
export type DayNumbers = readonly { first: number; last: number }[]

export function numberDays(days: readonly DayRange[]): DayNumbers {
  return days.map(([first, last]) => ({ first: toDayNumber(first), last: toDayNumber(last) }))
}

export function includesDay(ranges: DayNumbers, day: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.first ?? 0) > day) low = middle + 1
    else high = middle
  }
  // The newest range that has begun by then is also the one that ends last.
  return day <= (ranges[low]?.last ?? -1)
}

/** 0 for what is no day. */
export function toDayNumber(day: string): number {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? Number(day.replaceAll('-', '')) : 0
}
