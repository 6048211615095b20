import {
  computeSalience,
  countHalfLivesToReach,
  maxHalfLives,
  type PrunableState,
} from '../../domain/lifecycle/curves.ts'

/** The salience of a record in the future, if it is neither used nor changed. */

type SalienceForecast = {
  points: { at: Date; salience: number }[]
  /** Null for a value that is never reached. */
  crossings: { half: Date | null; below_0_1: Date | null; pruned: Date | null }
}

const lowSalience = 0.1
/** The half-lives that are shown of a record without an end. After them every curve has shown its shape. */
const halfLivesShown = 8

export function forecastSalience(
  state: PrunableState,
  pruned: Date | null,
  now: Date,
  count: number,
): SalienceForecast {
  const end = findHorizon(state, now, pruned)
  const step = count === 1 ? 0 : (end.getTime() - now.getTime()) / (count - 1)
  const points = Array.from({ length: count }, (_, index) => {
    const at = new Date(now.getTime() + Math.round(index * step))
    return { at, salience: computeSalience(state, at) }
  })
  const salience = computeSalience(state, now)
  return {
    points,
    crossings: {
      half: salience > 0 ? computeReachedAt(state, salience / 2) : null,
      // A floor of exactly 0.1 keeps the record at that value.
      below_0_1:
        state.min_salience === lowSalience && !state.pinned
          ? findEnd(state)
          : computeReachedAt(state, lowSalience),
      pruned,
    },
  }
}

function findHorizon(state: PrunableState, now: Date, pruned: Date | null): Date {
  const ends = [pruned, state.expires_at].filter((end): end is Date => end !== null && end > now)
  const shown = now.getTime() + halfLivesShown * state.half_life_seconds * 1_000
  const [first] = ends.sort((one, other) => one.getTime() - other.getTime())
  return first ?? new Date(shown)
}

/** The first instant at which the salience is at most `value`. It may be in the past. */
function computeReachedAt(state: PrunableState, value: number): Date | null {
  if (state.base_salience <= value) return state.anchored_at
  if (state.pinned) return null
  const faded = computeFadedTo(state, value)
  if (!faded || !state.expires_at) return faded ?? state.expires_at
  return new Date(Math.min(faded.getTime(), state.expires_at.getTime()))
}

function computeFadedTo(state: PrunableState, value: number): Date | null {
  if (state.min_salience > value) return null
  const halfLives = countHalfLivesToReach(state.curve, value / state.base_salience)
  if (halfLives > maxHalfLives) return null
  return new Date(state.anchored_at.getTime() + Math.ceil(halfLives * state.half_life_seconds * 1_000))
}

function findEnd(state: PrunableState): Date | null {
  return state.base_salience < lowSalience ? state.anchored_at : state.expires_at
}
