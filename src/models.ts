import type { Config } from './config/config.ts'
import { createEmbedder, createVectorMemory } from './embeddings/index.ts'
import type { Clock } from './kernel/clock.ts'
import { createChat } from './llm/chat.ts'
import { createTextMemory } from './retrieval/index.ts'
import type { Instruments } from './telemetry/instruments.ts'

export type Models = ReturnType<typeof createModels>

/**
 * The clients of models for requests, and the room for vectors and words. Several tenants share them, so that they limit their
 * requests and their memory together.
 */
export function createModels({
  config,
  clock,
  instruments,
}: {
  config: Config
  clock: Clock
  instruments: Instruments
}) {
  const { ingest } = config.models
  return {
    ingest: ingest && createChat({ ...ingest, clock, observe: instruments.observeModel('ingest') }),
    embedder: createEmbedder(config.embedding, clock, instruments.observeModel('query')),
    vectorMemory: createVectorMemory(config.vectorMemory),
    textMemory: createTextMemory(config.textMemory),
  }
}
