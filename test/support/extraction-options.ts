import type { Clock } from '../../src/kernel/clock.ts'
import { createChat } from '../../src/llm/chat.ts'

/** What consolidation is given to read by a model at this endpoint, two episodes at once; nothing without one. */
export function readBy(endpoint: string, clock: Clock) {
  if (endpoint === '') return undefined
  const chat = createChat({ endpoint, model: 'm', apiKey: undefined, timeoutMs: 5_000, clock })
  const ceilings = { maxTokens: 0, maxCost: 0, promptPrice: 0, completionPrice: 0 }
  return { chat, maxSensitivity: 'low' as const, concurrency: 2, ceilings }
}
