import { signal } from '@preact/signals'
import { html } from '../html.js'

const minute = 60_000
const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, minute / 2)

/** @type {readonly (readonly [Intl.RelativeTimeFormatUnit, number])[]} */
const units = [
  ['year', 365.25 * 24 * 60 * minute],
  ['month', 30.44 * 24 * 60 * minute],
  ['day', 24 * 60 * minute],
  ['hour', 60 * minute],
  ['minute', minute],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** A moment relative to now, with the exact one on hover. @param {{ at: string | null | undefined }} properties */
export function Time({ at }) {
  if (at === null || at === undefined) return html`<span class="none">never</span>`
  return html`<time datetime=${at} title=${formatExact(at)}>${formatRelative(at, now.value)}</time>`
}

/**
 * @param {string} at
 * @param {number} from
 */
export function formatRelative(at, from) {
  const distance = new Date(at).getTime() - from
  const [unit, length] = units.find(([, length]) => Math.abs(distance) >= length) ?? ['minute', 0]
  return length === 0 ? 'just now' : relative.format(Math.round(distance / length), unit)
}

/** The moment to the second, in the language and time zone of the reader. @param {string} at */
export function formatExact(at) {
  return exact.format(new Date(at))
}

/** @param {string} at */
export function formatDay(at) {
  return day.format(new Date(at))
}

/** A length of time in the largest unit that fits, such as `3 days`. @param {number} seconds */
export function formatDuration(seconds) {
  const [unit, length] = units.find(([, length]) => seconds * 1_000 >= length) ?? ['second', 1_000]
  const amount = (seconds * 1_000) / length
  return new Intl.NumberFormat('en', {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: amount < 10 ? 1 : 0,
  }).format(amount)
}

/** @param {{ curve: string, half_life_seconds: number }} decay */
export function describePace({ curve, half_life_seconds: seconds }) {
  // The half-life of a linear curve is the time after which nothing is left.
  return `${curve}, ${curve === 'linear' ? 'to nothing in' : 'half-life'} ${formatDuration(seconds)}`
}
