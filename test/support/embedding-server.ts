import { hashEmbedding } from '../../src/embeddings/feature-hashing.ts'
import { type Behaviour, type Seen, sending } from './chat-server.ts'

/** Somebody else's embedding model, for the server of a chat model: vectors of 16 dimensions that words decide. */

type Asked = { model: string; input: string[]; encoding_format?: string; dimensions?: number }

export const askedOf = ({ text }: Seen): Asked => JSON.parse(text)

export const vectorOf = (text: string, dimensions = 16): number[] => [...hashEmbedding(text, dimensions)]

/** Answers in whatever order, for the index tells which is whose. */
export const embedding =
  ({ dimensions = 16 } = {}): Behaviour =>
  (response, seen) => {
    const data = askedOf(seen).input.map((text, index) => ({ index, embedding: vectorOf(text, dimensions) }))
    return sending(200, { object: 'list', data: data.reverse() })(response, seen)
  }

/** Fails as told whenever one of the texts is such; with all others it does well. */
export const choking =
  (isPoison: (text: string) => boolean, failure: Behaviour = sending(400, {})): Behaviour =>
  (response, seen) =>
    askedOf(seen).input.some(isPoison) ? failure(response, seen) : embedding()(response, seen)

/** The vectors that `change` makes of the right ones. */
export const distorting =
  (change: (data: { index: number; embedding: unknown }[]) => unknown): Behaviour =>
  (response, seen) => {
    const data = askedOf(seen).input.map((text, index) => ({ index, embedding: vectorOf(text) }))
    return sending(200, { data: change(data) })(response, seen)
  }
