/**
 * A number from 0 up to 1, for the length of a pause alone. It is taken from the time that passes, so it needs no source of randomness
 * as a parameter; no rule may use it.
 */
export function drawJitter(): number {
  return (performance.now() * 1_000) % 1
}
