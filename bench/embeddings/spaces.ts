import { type Embedding, normalise } from '../../src/domain/similarity.ts'
import { hashEmbedding } from '../../src/embeddings/feature-hashing.ts'
import { createRandom } from '../load.ts'
import { createWriter } from './texts.ts'

/** Where vectors are drawn from: those that are stored, and those that are asked. */
export type Space = { name: string; dimensions: number; draw(): Embedding; ask(): Embedding }

/** What the built-in embedder makes of texts, and of questions about them. */
export function createTextSpace(): Space {
  const dimensions = 256
  const { write, ask } = createWriter(createRandom(7))
  return {
    ...{ name: 'hashed texts', dimensions },
    draw: () => hashEmbedding(write(), dimensions),
    ask: () => hashEmbedding(ask(), dimensions),
  }
}

const clusters = 100
/** As long as the centre itself nearly, so that a cosine within a cluster is some 0.7. */
const spread = 0.65

/** As a model's vectors lie: in clusters, in which a thousand are about as near to each other. The hard case. */
export function createClusteredSpace(): Space {
  const dimensions = 384
  const random = createRandom(11)
  const gaussian = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const direction = () => normalise(Float32Array.from({ length: dimensions }, gaussian))
  const centres = Array.from({ length: clusters }, direction)
  const draw = () => {
    const centre = centres[Math.floor(random() * clusters)] ?? direction()
    const aside = direction()
    return normalise(centre.map((value, index) => value + spread * (aside[index] ?? 0)))
  }
  return { name: 'clustered vectors', dimensions, draw, ask: draw }
}
