export type ScoredPlace = { place: number; score: number }

/** Keeps the places with the highest scores of all that are offered. */
export function createBestPlaces(most: number) {
  let kept: ScoredPlace[] = []
  let least = Number.NEGATIVE_INFINITY

  /** A score that is not a number is passed over. */
  function offer(place: number, score: number): void {
    if (!(score > least)) return
    kept.push({ place, score })
    if (kept.length >= 2 * most + 64) cut()
  }

  function cut(): void {
    kept = kept.sort((one, other) => other.score - one.score || one.place - other.place).slice(0, most)
    if (kept.length === most) least = kept.at(-1)?.score ?? least
  }

  /** Returns the best, the highest score first. */
  function list(): readonly ScoredPlace[] {
    cut()
    return kept
  }

  return { offer, list }
}
