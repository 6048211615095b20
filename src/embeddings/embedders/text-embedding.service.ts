import { setImmediate as yieldTurn } from 'node:timers/promises'
import { type Embedding, hasDirection, normalise } from '../../domain/vectors/similarity.ts'
import { halve } from '../../kernel/collections/halve.ts'
import { ModelFailure } from '../../llm/model-failure.ts'
import { isBuiltIn } from './embedder.service.ts'
import type { Embedder } from './embedder.ts'
import { clip, groupTexts, type Text } from './text-batches.ts'

export type EmbedAnswers = {
  /** The vectors, of length 1; null for a text without direction. */
  vectors: Map<string, Embedding | null>
  /** Texts that the embedder refuses although it accepts others. */
  refused: string[]
  /** Texts of requests that failed, which were not divided further before the deadline: one of them may be refused. */
  suspected: string[]
  /** Why the embedder was not asked any further. The remaining texts wait. */
  outage?: ModelFailure
}

type EmbedOptions = { dimensions: number; deadlineMs: number; signal: AbortSignal }

/**
 * The most characters for an external model. Most models read about 8,000 tokens; the rest of a text is found by its
 * words only. Small models read 512 tokens and refuse longer texts.
 */
const longest = 8_000
const longestOfSmall = 1_000

/** Sent to find out whether the text or the embedder is at fault. */
const probe = 'memory'

/** A timer may end this much before its time. */
const earlyMs = 5

/** Embeds texts. A text that the embedder refuses does not stop the others. */
export function createTextEmbedder(embedder: Embedder) {
  async function ask(
    texts: readonly Text[],
    { dimensions, deadlineMs, signal }: EmbedOptions,
  ): Promise<EmbedAnswers> {
    const answers: EmbedAnswers = { vectors: new Map(), refused: [], suspected: [] }
    const deadline = performance.now() + deadlineMs
    const isOver = () => performance.now() >= deadline - earlyMs
    const left = groupTexts(texts.map(shorten)).reverse()
    const divided: string[] = []
    for (let group = left.pop(); group && !isOver(); group = left.pop()) {
      const retryOptions = { retries: 1, deadlineMs: deadline - performance.now(), signal }
      const failure = await read(group, dimensions, retryOptions, answers)
      if (!failure) continue
      // A slow server would have answered: what fails is that the time was over soon after the request.
      if (isOver() && retryOptions.deadlineMs < deadlineMs / 2) break
      const outage = await findOutage(failure, dimensions, signal)
      if (outage) return { ...answers, outage }
      divided.push(...group.map(({ id }) => id))
      left.push(...divide(group, answers.refused).reverse())
    }
    return { ...answers, suspected: excludeRead(divided, answers) }
  }

  async function read(
    group: readonly Text[],
    dimensions: number,
    retryOptions: NonNullable<Parameters<Embedder['embed']>[1]>,
    { vectors }: EmbedAnswers,
  ): Promise<ModelFailure | undefined> {
    // Hashing never waits, and would block all other work of the process.
    await yieldTurn()
    try {
      const found = await embedder.embed(
        group.map(({ text }) => text),
        retryOptions,
      )
      requireLength(found, dimensions)
      for (const [index, { id }] of group.entries()) {
        const vector = found[index]
        vectors.set(id, vector && hasDirection(vector) ? normalise(vector) : null)
      }
      return undefined
    } catch (error) {
      // An unexpected error counts as a text that the embedder cannot read.
      return error instanceof ModelFailure ? error : new ModelFailure('invalid_answer')
    }
  }

  /** Returns the outage; undefined when the embedder works, so that the texts must be at fault. */
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

  /** Returns the number of dimensions, from the embedder itself when it is not configured. */
  async function measure(signal: AbortSignal): Promise<number> {
    if (embedder.dimensions !== undefined) return embedder.dimensions
    const [vector] = await embedder.embed([probe], { signal })
    if (!vector) throw new ModelFailure('invalid_answer')
    return vector.length
  }

  const shorten = (text: Text) => (isBuiltIn(embedder) ? text : clip(text, longest))

  return { ask, measure }
}

function excludeRead(ids: readonly string[], { vectors, refused }: EmbedAnswers): string[] {
  return [...new Set(ids)].filter((id) => !vectors.has(id) && !refused.includes(id))
}

/**
 * The response shows that the server is at fault, not the text: too many requests, or no access. A filter in front of a server refuses
 * a text with 403.
 */
function isOutage(failure: ModelFailure): boolean {
  return failure.affectsAllRequests || failure.reason === 'rate_limited'
}

/** A server may replace the model behind a name. */
function requireLength(vectors: readonly Embedding[], dimensions: number): void {
  if (vectors.some((vector) => vector.length !== dimensions)) throw new ModelFailure('invalid_answer')
}

/** Splits a group down to the text that is refused. Its beginning is tried before it is given up. */
function divide(group: readonly Text[], refused: string[]): Text[][] {
  const [only, ...others] = group
  if (!only || others.length > 0) return halve(group)
  if (only.text.length > longestOfSmall) return [[clip(only, longestOfSmall)]]
  refused.push(only.id)
  return []
}
