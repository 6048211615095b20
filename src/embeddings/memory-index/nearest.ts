type Scored = { place: number; score: number }

/** Keeps the places with the highest scores of all that are offered. */
export function createNearest(most: number) {
  let kept: Scored[] = []
  let least = Number.NEGATIVE_INFINITY

  /** Offers places, each with its product times its factor; a factor that is not a number is passed over. */
  function offerAll(products: Int32Array, places: Uint32Array, factors: readonly number[]): void {
    for (let at = 0; at < places.length; at++) {
      const place = places[at] as number
      const score = (products[at] as number) * (factors[place] as number)
      if (score > least) keep({ place, score })
    }
  }

  function keep(scored: Scored): void {
    kept.push(scored)
    if (kept.length >= 2 * most + 64) cut()
  }

  function cut(): void {
    kept = kept.sort((one, other) => other.score - one.score || one.place - other.place).slice(0, most)
    if (kept.length === most) least = kept.at(-1)?.score ?? least
  }

  function list(): readonly Scored[] {
    cut()
    return kept
  }

  return { offerAll, list }
}
