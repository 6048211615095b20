import { halfLivesToReach, type PrunableState, salienceAt } from '../domain/curves.ts'

/** What a record will come to if nobody touches it: the closed form read forwards. */

export type Forecast = {
  points: { at: Date; salience: number }[]
  /** Null where it never comes to it. */
  crossings: { half: Date | null; below_0_1: Date | null; pruned: Date | null }
}

const faint = 0.1
/** Where nothing ends the record, this many half-lives show the whole of every curve. */
const halfLivesShown = 8
/** Beyond them the curves of the product stand still. */
const maxHalfLives = 64

export function forecastSalience(
  life: PrunableState,
  pruned: Date | null,
  now: Date,
  count: number,
): Forecast {
  const end = findHorizon(life, now, pruned)
  const step = count === 1 ? 0 : (end.getTime() - now.getTime()) / (count - 1)
  const points = Array.from({ length: count }, (_, index) => {
    const at = new Date(now.getTime() + Math.round(index * step))
    return { at, salience: salienceAt(life, at) }
  })
  const salience = salienceAt(life, now)
  return {
    points,
    crossings: {
      half: salience > 0 ? computeReachedAt(life, salience / 2) : null,
      // A floor at the mark itself holds the record on it.
      below_0_1: life.min_salience === faint && !life.pinned ? findEnd(life) : computeReachedAt(life, faint),
      pruned,
    },
  }
}

function findHorizon(life: PrunableState, now: Date, pruned: Date | null): Date {
  const ends = [pruned, life.expires_at].filter((end): end is Date => end !== null && end > now)
  const shown = now.getTime() + halfLivesShown * life.half_life_seconds * 1_000
  const [first] = ends.sort((one, other) => one.getTime() - other.getTime())
  return first ?? new Date(shown)
}

/** The first instant at which the salience is no more than `value`; it may lie behind. */
function computeReachedAt(life: PrunableState, value: number): Date | null {
  if (life.base_salience <= value) return life.anchored_at
  if (life.pinned) return null
  const faded = computeFadedTo(life, value)
  if (!faded || !life.expires_at) return faded ?? life.expires_at
  return new Date(Math.min(faded.getTime(), life.expires_at.getTime()))
}

function computeFadedTo(life: PrunableState, value: number): Date | null {
  if (life.min_salience > value) return null
  const halfLives = halfLivesToReach(life.curve, value / life.base_salience)
  if (halfLives > maxHalfLives) return null
  return new Date(life.anchored_at.getTime() + Math.ceil(halfLives * life.half_life_seconds * 1_000))
}

function findEnd(life: PrunableState): Date | null {
  return life.base_salience < faint ? life.anchored_at : life.expires_at
}
