import {
  type Curve,
  computeExpiry,
  computeFadingFactor,
  computePruneAt,
  computeSalience,
  countHalfLivesSince,
  maxSalience,
  type PrunableState,
} from '../domain/lifecycle/curves.ts'
import { isHistory, type Status } from '../domain/schemas/vocabulary.ts'

/**
 * The life of a record under another lifecycle: its recorded life is played again, with the same reinforcements at the
 * same times.
 */

/** A change of the salience in the log, in milliseconds since 1970. */
export type Move = readonly [at: number, before: number, after: number]

export type RecordedLife = PrunableState & {
  created_at: Date
  max_age_seconds: number
  max_salience: number | null
  reinforcement_gain: number
  status: Status
  forgotten_at: Date | null
  forgotten_reason: string | null
  /** Oldest first, those since the start of the window. */
  moves: readonly Move[]
}

export type Window = { from: Date; until: Date }

/** The fields of a lifecycle that the simulation changes; the others stay as they were. */
export type Setting = {
  curve?: Curve
  half_life_seconds?: number
  min_salience?: number
  max_age_seconds?: number
  max_salience?: number | null
  deletion_policy?: RecordedLife['deletion_policy']
  reinforcement_gain?: number
}

/** When the record would have been pruned inside the window; undefined when it would not. */
export function findPruning(life: RecordedLife, setting: Setting, { from, until }: Window): Date | undefined {
  const start = from > life.created_at ? from : life.created_at
  const end = chooseEarliest(until, findLeaving(life, 'pruned'))
  // The former state of a replaced record is only in the log.
  if (end <= start || (isHistory(life.status) && life.moves.length === 0)) return undefined
  let state = startLife(life, setting, start)
  for (const [time, before, after] of life.moves) {
    const at = new Date(time)
    if (at < start) continue
    if (at >= end) break
    const prunedAt = computePruneAt(state)
    if (prunedAt && prunedAt <= at) return chooseLatest(prunedAt, start)
    const base_salience = moveSalience(computeSalience(state, at), after - before, { ...life, ...setting })
    state = { ...state, base_salience, anchored_at: at }
  }
  const prunedAt = computePruneAt(state)
  return prunedAt && prunedAt <= end ? chooseLatest(prunedAt, start) : undefined
}

/** The salience of the record at moments of the window, each later than the one before, as it was recorded. */
export function followSalience(life: RecordedLife, start: Date): (at: Date) => number {
  let state = startLife(life, {}, start > life.created_at ? start : life.created_at)
  let next = 0
  return (at) => {
    for (let move = life.moves[next]; move && move[0] <= at.getTime(); move = life.moves[++next])
      state = { ...state, base_salience: move[2], anchored_at: new Date(move[0]) }
    return computeSalience(state, at)
  }
}

/** When the record left for another reason than the simulated one: a revision replaced it, or something else forgot it. */
export function findLeaving(
  { status, anchored_at: anchor, forgotten_at, forgotten_reason }: RecordedLife,
  simulated: 'pruned' | 'budget',
): Date | null {
  if (isHistory(status)) return anchor
  return forgotten_reason === simulated ? null : forgotten_at
}

/** The record at the start of the window. A lifecycle that changes applies from there, as a patch would. */
function startLife(life: RecordedLife, setting: Setting, start: Date): PrunableState {
  const changed = { ...life, ...setting }
  const expires_at = computeExpiry(life.created_at, changed.max_age_seconds)
  const isSameCurve = changed.curve === life.curve && changed.half_life_seconds === life.half_life_seconds
  if (isSameCurve && life.moves.length === 0) return { ...changed, expires_at }
  return { ...changed, expires_at, base_salience: computeSalienceAtStart(life, start), anchored_at: start }
}

function computeSalienceAtStart(life: RecordedLife, start: Date): number {
  const [first] = life.moves
  if (first === undefined)
    return life.anchored_at <= start ? computeSalience(life, start) : life.base_salience
  // The anchor of then is not in the log. Led back along the curve from the first salience that is.
  const [at, before] = first
  const computeFactor = (instant: Date) =>
    computeFadingFactor(life.curve, countHalfLivesSince(life.created_at, instant, life.half_life_seconds))
  const then = computeFactor(new Date(at))
  if (then === 0) return before
  return Math.min((before * computeFactor(start)) / then, Math.max(before, life.max_salience ?? 1, 1))
}

/** A penalty lowers. A reinforcement raises up to the cap, by the whole gain where the cap cut off some of it. */
function moveSalience(
  left: number,
  difference: number,
  { max_salience: cap, reinforcement_gain: gain }: Pick<RecordedLife, 'max_salience' | 'reinforcement_gain'>,
): number {
  if (difference <= 0) return Math.max(0, left + difference)
  return Math.max(left, Math.min(left + Math.max(gain, difference), cap ?? maxSalience))
}

function chooseEarliest(one: Date, other: Date | null): Date {
  return other && other < one ? other : one
}

function chooseLatest(one: Date, other: Date): Date {
  return other > one ? other : one
}
