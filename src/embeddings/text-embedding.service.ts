import { setImmediate as yieldTurn } from 'node:timers/promises'
import { type Embedding, hasDirection, normalise } from '../domain/similarity.ts'
import { ModelFailure } from '../llm/model-failure.ts'
import type { Embedder } from './hash-embedder.ts'
import { clip, groupTexts, halve, type Text } from './text-batches.ts'

export type EmbedAnswers = {
  /** Of length 1; null for a text that has no direction. */
  vectors: Map<string, Embedding | null>
  /** Texts that the embedder cannot read though it reads others. */
  refused: string[]
  /** Why it is not asked any more; what it was not asked then waits. */
  outage?: ModelFailure
}

type EmbedOptions = { dimensions: number; deadlineMs: number; signal: AbortSignal }

/**
 * Of somebody else's model. Most read some eight thousand tokens; what follows is found by its words alone. Small
 * ones read 512, and refuse what is longer.
 */
const longest = 8_000
const longestOfSmall = 1_000

/** Said to find out whether it is the text that cannot be read, or the embedder that reads nothing. */
const probe = 'memory'

/** Embeds texts as far as it goes: one that cannot be read does not keep the others from it. */
export function createTextEmbedder(embedder: Embedder) {
  async function ask(
    texts: readonly Text[],
    { dimensions, deadlineMs, signal }: EmbedOptions,
  ): Promise<EmbedAnswers> {
    const answers: EmbedAnswers = { vectors: new Map(), refused: [] }
    const deadline = performance.now() + deadlineMs
    const left = groupTexts(texts.map(shorten)).reverse()
    for (let group = left.pop(); group && performance.now() < deadline; group = left.pop()) {
      const patience = { retries: 1, deadlineMs: deadline - performance.now(), signal }
      const failure = await read(group, dimensions, patience, answers)
      if (!failure) continue
      const outage = await findOutage(failure, dimensions, signal)
      if (outage) return { ...answers, outage }
      left.push(...divide(group, answers.refused).reverse())
    }
    return answers
  }

  async function read(
    group: readonly Text[],
    dimensions: number,
    patience: NonNullable<Parameters<Embedder['embed']>[1]>,
    { vectors }: EmbedAnswers,
  ): Promise<ModelFailure | undefined> {
    // Hashing never waits for anything, and would let nothing else have its turn.
    await yieldTurn()
    try {
      const found = await embedder.embed(
        group.map(({ text }) => text),
        patience,
      )
      requireLength(found, dimensions)
      for (const [index, { id }] of group.entries()) {
        const vector = found[index]
        vectors.set(id, vector && hasDirection(vector) ? normalise(vector) : null)
      }
      return undefined
    } catch (error) {
      // A text on which the embedder breaks is one it cannot read.
      return error instanceof ModelFailure ? error : new ModelFailure('invalid_answer')
    }
  }

  /** Undefined when the embedder is well, so that it must be the texts. */
  async function findOutage(failure: ModelFailure, dimensions: number, signal: AbortSignal) {
    if (isOutage(failure)) return failure
    try {
      requireLength(await embedder.embed([probe], { signal }), dimensions)
      return undefined
    } catch (error) {
      if (error instanceof ModelFailure) return error
      throw error
    }
  }

  /** How long its vectors are, asked of itself where nobody has said so. */
  async function measure(signal: AbortSignal): Promise<number> {
    if (embedder.dimensions !== undefined) return embedder.dimensions
    const [vector] = await embedder.embed([probe], { signal })
    if (!vector) throw new ModelFailure('invalid_answer')
    return vector.length
  }

  const shorten = (text: Text) => (embedder.provider === 'hash' ? text : clip(text, longest))

  return { ask, measure }
}

/** The server says itself that it is not the texts: too many requests, or none of ours at all. */
function isOutage({ reason, status }: ModelFailure): boolean {
  return (
    reason === 'aborted' ||
    reason === 'rate_limited' ||
    reason === 'misconfigured' ||
    status === 401 ||
    status === 403 ||
    status === 404
  )
}

/** A server may put another model behind the same name. */
function requireLength(vectors: readonly Embedding[], dimensions: number): void {
  if (vectors.some((vector) => vector.length !== dimensions)) throw new ModelFailure('invalid_answer')
}

/** Down to the one that cannot be read, whose beginning is tried before it is given up. */
function divide(group: readonly Text[], refused: string[]): Text[][] {
  const [only, ...others] = group
  if (!only || others.length > 0) return halve(group)
  if (only.text.length > longestOfSmall) return [[clip(only, longestOfSmall)]]
  refused.push(only.id)
  return []
}
