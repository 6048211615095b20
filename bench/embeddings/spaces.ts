import { type Embedding, normalise } from '../../src/domain/vectors/similarity.ts'
import { hashEmbedding } from '../../src/embeddings/embedders/feature-hashing.ts'
import { readTokenTable } from '../../src/embeddings/static/static-embedder.service.ts'
import { computeStaticEmbedding, staticDimensions } from '../../src/embeddings/static/static-embedding.ts'
import { createRandom } from '../load.ts'
import { readOwnConversations } from '../quality/corpus.ts'
import { createWriter } from './texts.ts'

/** A source of stored vectors and of query vectors, and what a search by cells must find of the ten nearest. */
export type Space = {
  name: string
  dimensions: number
  draw(): Embedding
  ask(): Embedding
  minRecallByCells?: number
}

/** Vectors of the built-in embedder for texts and for questions about them. */
export function createTextSpace(): Space {
  const dimensions = 256
  const { write, ask } = createWriter(createRandom(7))
  return {
    name: 'hashed texts',
    dimensions,
    draw: () => hashEmbedding(write(), dimensions),
    ask: () => hashEmbedding(ask(), dimensions),
  }
}

/**
 * Vectors of word meanings for natural sentences, two or three of a conversation together, and for natural questions
 * about them.
 */
export async function createNaturalSpace(): Promise<Space> {
  const conversations = (await readOwnConversations()).map(({ messages, questions }) => ({
    sentences: messages.flatMap(({ content }) => content.split(/(?<=[.!?])\s+/)),
    questions: questions.map(({ text }) => text),
  }))
  const random = createRandom(5)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]
  const embed = (text: string) => computeStaticEmbedding(text, readTokenTable())
  const draw = () => {
    const { sentences } = pick(conversations) ?? { sentences: [] }
    return embed(Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(sentences) ?? '').join(' '))
  }
  const ask = () => embed(pick(pick(conversations)?.questions ?? []) ?? '')
  return { name: 'natural texts', dimensions: staticDimensions, draw, ask, minRecallByCells: 0.95 }
}

const clusters = 100
/** Nearly as long as the centre, so that the cosine within a cluster is about 0.7. */
const spread = 0.65

/** Clustered vectors like those of a model: a thousand in a cluster are about equally near. The hard case. */
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
