import { hashEmbedding } from '../../../src/embeddings/embedders/feature-hashing.ts'
import { type Behaviour, type ReceivedRequest, respond } from './chat-server.ts'

/** An external embedding model for the chat server: vectors of 16 dimensions computed from the words. */

type Asked = { model: string; input: string[]; encoding_format?: string; dimensions?: number }

/** Returns the body of a request for embeddings. */
export const parseEmbeddingRequest = ({ text }: ReceivedRequest): Asked => JSON.parse(text)

/** Computes the vector that the server answers for a text. */
export const computeVector = (text: string, dimensions = 16): number[] => [...hashEmbedding(text, dimensions)]

/** Answers with a vector for each text, in reverse order, as the index says which is which. */
export const respondWithVectors =
  ({ dimensions = 16 } = {}): Behaviour =>
  (response, seen) => {
    const data = parseEmbeddingRequest(seen).input.map((text, index) => ({
      index,
      embedding: computeVector(text, dimensions),
    }))
    return respond(200, { object: 'list', data: data.reverse() })(response, seen)
  }

/** Fails when a text of the request is one that it cannot read, and answers with vectors otherwise. */
export const failOnText =
  (isPoison: (text: string) => boolean, failure: Behaviour = respond(400, {})): Behaviour =>
  (response, seen) =>
    parseEmbeddingRequest(seen).input.some(isPoison)
      ? failure(response, seen)
      : respondWithVectors()(response, seen)

/** Answers with the vectors after `change` altered them. */
export const respondWithAlteredVectors =
  (change: (data: { index: number; embedding: unknown }[]) => unknown): Behaviour =>
  (response, seen) => {
    const data = parseEmbeddingRequest(seen).input.map((text, index) => ({
      index,
      embedding: computeVector(text),
    }))
    return respond(200, { data: change(data) })(response, seen)
  }
