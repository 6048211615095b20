import { computeFadingFactor, findFall, maxHalfLives, pruneLine } from './fading.js'

/** @import { AuditEntry, Explanation, Forecast, MemoryRecord } from '../api/types.d.ts' */

/** @typedef {{ at: number, salience: number }} Point moments are in milliseconds */

/** @typedef {{ at: number, from: number | undefined, to: number }} Jump */

const pointsBetween = 24

/**
 * The salience from the first entry of the log to now: what each change left, and how it faded until the next one.
 * `created_at` may name a time long before the record was stored.
 * @param {MemoryRecord} record
 * @param {readonly AuditEntry[]} log
 * @param {Explanation} explanation
 * @param {number} now
 * @returns {Point[]}
 */
export function tracePast(record, log, explanation, now) {
  const { curve, half_life_seconds: halfLife } = record.lifecycle.decay
  const jumps = findJumps(log)
  const created = Math.max(Date.parse(record.created_at), Date.parse(log[0]?.timestamp ?? record.created_at))
  const first = jumps[0]
  const { anchored_at: anchoredAt, base_salience: base } = explanation.salience
  /** @type {Jump[]} */
  const start = first
    ? [{ at: created, from: undefined, to: findStart(first, created, curve, halfLife) }]
    : [{ at: Date.parse(anchoredAt), from: undefined, to: base }]
  const stops = [...start, ...jumps].filter(({ at }) => at <= now)
  return stops.flatMap((jump, index) => {
    const next = stops[index + 1] ?? { at: now, from: record.salience, to: record.salience }
    return fadeBetween(jump, { at: next.at, salience: next.from ?? next.to }, curve, halfLife)
  })
}

/** @param {readonly AuditEntry[]} log @returns {Jump[]} */
function findJumps(log) {
  return log.flatMap(({ timestamp, changes }) => {
    const change = changes?.['salience']
    if (!Array.isArray(change)) return []
    const [from, to] = change
    return typeof from === 'number' && typeof to === 'number' ? [{ at: Date.parse(timestamp), from, to }] : []
  })
}

/**
 * The log does not say the first salience; it is what must have been for the first change to find what it found.
 * @param {Jump} first
 * @param {number} created
 * @param {MemoryRecord['lifecycle']['decay']['curve']} curve
 * @param {number} halfLife
 */
function findStart({ at, from, to }, created, curve, halfLife) {
  const factor = computeFadingFactor(curve, (at - created) / 1_000 / halfLife)
  return Math.min(1, (from ?? to) / Math.max(factor, 0.001))
}

/**
 * Follows the curve, bent so that it ends where the next change began: the half-life may have been another one then.
 * @param {Jump} from
 * @param {Point} end
 * @param {MemoryRecord['lifecycle']['decay']['curve']} curve
 * @param {number} halfLife
 * @returns {Point[]}
 */
function fadeBetween({ at: start, to: salience }, end, curve, halfLife) {
  const span = end.at - start
  const count = span > 60_000 ? pointsBetween : 1
  const ideal = (/** @type {number} */ share) =>
    salience * computeFadingFactor(curve, (share * span) / 1_000 / halfLife)
  const error = end.salience - ideal(1)
  return Array.from({ length: count + 1 }, (_, index) => {
    const share = index / count
    return { at: start + share * span, salience: Math.max(0, ideal(share) + share * error) }
  })
}

/**
 * The salience at a moment of the forecast.
 * @param {Forecast} forecast
 * @param {number} at
 */
function findSalience({ points }, at) {
  const index = points.findIndex((point) => Date.parse(point.at) >= at)
  const before = points[Math.max(0, index - 1)]
  const after = points[index] ?? points.at(-1)
  if (!before || !after) return 0
  const start = Date.parse(before.at)
  const end = Date.parse(after.at)
  const share = end > start ? (at - start) / (end - start) : 0
  return before.salience + share * (after.salience - before.salience)
}

/**
 * The salience of the record if it is reinforced at a moment, and then no more.
 * @param {MemoryRecord} record
 * @param {Forecast} forecast
 * @param {number} at
 */
export function reinforceAt(record, forecast, at) {
  const {
    curve,
    half_life_seconds: halfLife,
    reinforcement_gain: gain,
    max_salience: cap,
    min_salience: floor,
  } = record.lifecycle.decay
  const before = findSalience(forecast, at)
  const after = Math.max(before, Math.min(before + gain, cap ?? Number.POSITIVE_INFINITY))
  const end = at + countHalfLives(curve, after, floor) * halfLife * 1_000
  const points = Array.from({ length: 61 }, (_, index) => {
    const moment = at + (index / 60) * (end - at)
    const faded = after * computeFadingFactor(curve, (moment - at) / 1_000 / halfLife)
    return { at: moment, salience: Math.max(faded, Math.min(floor, after)) }
  })
  return { before, after, points, end: floor < pruneLine ? end : undefined }
}

const halfLivesShown = 8

/**
 * The half-lives until a salience reaches the prune line; with a floor, as many as show the shape.
 * @param {MemoryRecord['lifecycle']['decay']['curve']} curve
 * @param {number} salience
 * @param {number} floor
 */
function countHalfLives(curve, salience, floor) {
  if (floor >= pruneLine || salience <= pruneLine) return halfLivesShown
  return findFall(maxHalfLives, (halfLives) => salience * computeFadingFactor(curve, halfLives) > pruneLine)
}
