import Type from 'typebox'
import { sensitivities } from '../domain/trust/caller.ts'
import { amount, count, endpoint, flag, secret, text, timeout } from './variables.ts'

/** Chat models, and what a run may spend on them. */
export const chatVariables = {
  MEMBRANE_LLM_MAX_SENSITIVITY: Type.Enum([...sensitivities], {
    description: 'Highest sensitivity that is sent to an external model, for chat or for vectors.',
    default: 'low',
    expects: `one of ${sensitivities.join(', ')}`,
  }),
  MEMBRANE_LLM_ENDPOINT: Type.Optional(
    endpoint(
      'Chat model for consolidation and dreams: the base URL of a server with the chat completions API of OpenAI, or the full path of the call.',
    ),
  ),
  MEMBRANE_LLM_MODEL: Type.Optional(text('Name of the model on that server.', { example: 'gpt-4o-mini' })),
  MEMBRANE_LLM_API_KEY: Type.Optional(secret('Key for that server, if it needs one.')),
  MEMBRANE_LLM_TIMEOUT: timeout('Longest time for one answer of the model.', '30s'),
  MEMBRANE_LLM_CONCURRENCY: count('Episodes that are sent to the model at the same time.', 4, 1, 64),
  MEMBRANE_LLM_MAX_TOKENS_PER_RUN: count(
    'Tokens after which a run sends no more requests; 0 for no limit.',
    2_000_000,
    0,
    1_000_000_000,
  ),
  MEMBRANE_LLM_PROMPT_PRICE: amount('Price of a million prompt tokens, in any currency.'),
  MEMBRANE_LLM_COMPLETION_PRICE: amount('Price of a million completion tokens, in the same currency.'),
  MEMBRANE_LLM_MAX_COST_PER_RUN: amount('Cost after which a run sends no more requests; 0 for no limit.'),
  MEMBRANE_INGEST_LLM_ENABLED: flag(
    'true: a chat model interprets captures, with one request of at most about 10,000 tokens each. Only MEMBRANE_RATE_LIMIT limits their number. false: built-in rules interpret captures.',
  ),
  MEMBRANE_INGEST_LLM_ENDPOINT: Type.Optional(
    endpoint(
      'Chat model for captures: the base URL of a server with the chat completions API of OpenAI, or the full path of the call.',
    ),
  ),
  MEMBRANE_INGEST_LLM_MODEL: Type.Optional(
    text('Name of the model on that server.', { example: 'gpt-4o-mini' }),
  ),
  MEMBRANE_INGEST_LLM_API_KEY: Type.Optional(secret('Key for that server, if it needs one.')),
  MEMBRANE_INGEST_LLM_TIMEOUT: timeout(
    'How long a capture waits for the model before the built-in rules interpret it.',
    '5s',
  ),
}
