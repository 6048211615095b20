import { createRandom } from '../../../bench/load.ts'
import { type Embedding, normalise } from '../../../src/domain/vectors/similarity.ts'

/** Creates random vectors that are the same in every run, so that a measured figure is too. */
export function createVectorSource(seed: number) {
  const uniform = createRandom(seed)

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
