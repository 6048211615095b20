import { type Embedding, normalise } from '../../src/domain/similarity.ts'

/** Creates random vectors that are the same in every run, so that a measured figure is too. */
export function createVectorSource(seed: number) {
  let state = seed

  /** Mulberry32: evenly distributed over 32 bits, which is enough for a test. */
  function uniform(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  function gaussian(): number {
    return Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  }

  function unit(dimensions: number): Embedding {
    return normalise(Float32Array.from({ length: dimensions }, gaussian))
  }

  /** A vector near the centre, with Gaussian noise of this length. */
  function near(centre: Embedding, noise: number): Embedding {
    const share = noise / Math.sqrt(centre.length)
    return normalise(centre.map((value) => value + share * gaussian()))
  }

  return { uniform, unit, near }
}
