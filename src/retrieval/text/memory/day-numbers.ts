import type { DayRange } from '../../periods.ts'

/** Ranges of days, to compare with those of many texts. */
export type DayNumbers = readonly { first: number; last: number }[]

export function numberDays(days: readonly DayRange[]): DayNumbers {
  return days.map(([first, last]) => ({ first: toNumber(first), last: toNumber(last) }))
}

/** 0 for what is no day. */
export function toNumber(day: string): number {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? Number(day.replaceAll('-', '')) : 0
}
