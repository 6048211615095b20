import { toMilliseconds } from './durations.ts'
import type { Environment } from './environment.ts'

/** The models that the service may ask, each from its variables. */

export function readChatModel(values: Environment) {
  const { MEMBRANE_LLM_ENDPOINT: endpoint, MEMBRANE_LLM_MODEL: model } = values
  if (!endpoint || !model) return undefined
  return {
    endpoint,
    model,
    apiKey: values.MEMBRANE_LLM_API_KEY,
    timeoutMs: toMilliseconds(values.MEMBRANE_LLM_TIMEOUT),
    concurrency: values.MEMBRANE_LLM_CONCURRENCY,
    ceilings: {
      maxTokens: values.MEMBRANE_LLM_MAX_TOKENS_PER_RUN,
      maxCost: Number(values.MEMBRANE_LLM_MAX_COST_PER_RUN),
      promptPrice: Number(values.MEMBRANE_LLM_PROMPT_PRICE),
      completionPrice: Number(values.MEMBRANE_LLM_COMPLETION_PRICE),
    },
  }
}

export function ingestModel(values: Environment) {
  const { MEMBRANE_INGEST_LLM_ENDPOINT: endpoint, MEMBRANE_INGEST_LLM_MODEL: model } = values
  if (values.MEMBRANE_INGEST_LLM_ENABLED !== 'true' || !endpoint || !model) return undefined
  const timeoutMs = toMilliseconds(values.MEMBRANE_INGEST_LLM_TIMEOUT)
  return { endpoint, model, apiKey: values.MEMBRANE_INGEST_LLM_API_KEY, timeoutMs }
}

export function readEmbedding(values: Environment) {
  const { MEMBRANE_EMBEDDING_ENDPOINT: endpoint, MEMBRANE_EMBEDDING_MODEL: model } = values
  const { MEMBRANE_EMBEDDING_PROVIDER: provider, MEMBRANE_EMBEDDING_DIMENSIONS: dimensions } = values
  if (provider === 'static') return { provider }
  if (provider === 'hash') return { provider, dimensions }
  if (provider === 'none' || !endpoint || !model) return { provider: 'none' as const }
  const timeoutMs = toMilliseconds(values.MEMBRANE_EMBEDDING_TIMEOUT)
  const apiKey = values.MEMBRANE_EMBEDDING_API_KEY
  return { provider, endpoint, model, apiKey, dimensions, timeoutMs }
}
