import { toWords } from '../parts/numbers.js'

/** @import { StoreMetrics } from '../api/types.d.ts' */
/** @import { Bar } from './bars.js' */
/** @import { Column } from './columns.js' */

/** @typedef {StoreMetrics['created_by_day']} Days */

const weekday = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric' })
const date = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const dayMs = 86_400_000

/** Counts by a name of the API. @param {Readonly<Record<string, number>>} counts @returns {Bar[]} */
export function toBars(counts) {
  return Object.entries(counts).map(([name, value]) => ({ name: toWords(name), value }))
}

/** Counts by a band of values, such as `0.2-0.4`. @param {Readonly<Record<string, number>>} counts @returns {Bar[]} */
export function toBands(counts) {
  return Object.entries(counts).map(([name, value]) => ({ name: name.replace('-', ' – '), value }))
}

/** Each of the coming periods of 24 hours, by the day on which it begins. @param {Days} days @returns {Column[]} */
export function listComingDays(days) {
  return days.map(({ from, records }, index) => ({
    name: index === 0 ? 'today' : weekday.format(new Date(from)),
    value: records,
  }))
}

/** Each of the past periods of 24 hours, by the day on which it ends. @param {Days} days @returns {Column[]} */
export function listPastDays(days) {
  return days.map(({ from, records }) => ({
    name: date.format(new Date(Date.parse(from) + dayMs)),
    value: records,
  }))
}
