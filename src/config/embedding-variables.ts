import Type from 'typebox'
import { count, endpoint, secret, text, timeout } from './variables.ts'

/** Where vectors come from, and how long a search waits for one. */
export const embeddingVariables = {
  MEMBRANE_EMBEDDING_PROVIDER: Type.Enum(['none', 'static', 'hash', 'openai'], {
    description:
      'Source of vectors: `none`, `static` for the built-in table of word meanings (English), `hash` for the built-in hashing of words and parts of words, `openai` for a server.',
    default: 'static',
    expects: 'one of none, static, hash, openai',
  }),
  MEMBRANE_EMBEDDING_ENDPOINT: Type.Optional(
    endpoint(
      'Server for the source `openai`: the base URL of a server with the embeddings API of OpenAI, or the full path of the call.',
    ),
  ),
  MEMBRANE_EMBEDDING_MODEL: Type.Optional(
    text('Name of the model on that server.', { example: 'text-embedding-3-small' }),
  ),
  MEMBRANE_EMBEDDING_DIMENSIONS: Type.Optional(
    Type.Integer({
      description:
        'Dimensions of a vector of `hash` (unset: 256) or `openai` (unset: those of the model). The other sources ignore it.',
      examples: ['256'],
      minimum: 8,
      maximum: 4_096,
      expects: 'a whole number from 8 to 4096',
    }),
  ),
  MEMBRANE_EMBEDDING_API_KEY: Type.Optional(secret('Key for that server, if it needs one.')),
  MEMBRANE_EMBEDDING_TIMEOUT: timeout('Longest time for one answer of the server.', '30s'),
  MEMBRANE_QUERY_EMBEDDING_TIMEOUT: timeout(
    'How long a search waits for the vector of its question. After that it searches without one.',
    '2s',
  ),
  MEMBRANE_VECTOR_MEMORY: count(
    'Memory in MB that one API process may use for vectors and their signs: about 360 MB for a million vectors of `static`. The ids of these records take about 60 MB more, outside this limit. 0: the database does every search.',
    384,
    0,
    4_000,
  ),
  MEMBRANE_TEXT_MEMORY: count(
    'Memory in MB that one API process may use for the words of texts: about 220 MB for a million messages. 0: the database does every search by words.',
    256,
    0,
    4_000,
  ),
}
