import type { Clock } from '../../../src/kernel/clock.ts'
import { createChat } from '../../../src/llm/chat.ts'

/**
 * Builds the options for facts that a model at this endpoint reads, two episodes at once; undefined without an
 * endpoint.
 */
export function buildExtractionOptions(endpoint: string, clock: Clock) {
  if (endpoint === '') return undefined
  const chat = createChat({ endpoint, model: 'm', apiKey: undefined, timeoutMs: 5_000, clock })
  const ceilings = { maxTokens: 0, maxCost: 0, promptPrice: 0, completionPrice: 0 }
  return { chat, maxSensitivity: 'low' as const, concurrency: 2, ceilings }
}
