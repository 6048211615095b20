import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../../src/config/config.ts'
import type { Variables } from '../../../src/config/joint-problems.ts'

function problemsOf(variables: Variables, role?: string): readonly string[] {
  try {
    readConfig(variables, role)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('the configuration of a chat model for captures', () => {
  const variables = {
    MEMBRANE_INGEST_LLM_ENABLED: 'true',
    MEMBRANE_INGEST_LLM_ENDPOINT: 'http://127.0.0.1:11434/v1',
    MEMBRANE_INGEST_LLM_MODEL: 'qwen3',
  }

  test('is unused unless enabled, with a default timeout of five seconds', () => {
    expect(readConfig({}).models).toEqual({ maxSensitivity: 'low', ingest: undefined })
    expect(readConfig({ ...variables, MEMBRANE_INGEST_LLM_ENABLED: 'false' }).models.ingest).toBeUndefined()
    expect(readConfig({ ...variables, MEMBRANE_INGEST_LLM_API_KEY: 'sk-1' }).models.ingest).toEqual({
      endpoint: 'http://127.0.0.1:11434/v1',
      model: 'qwen3',
      apiKey: 'sk-1',
      timeoutMs: 5_000,
    })
  })

  test('requires an endpoint, a model and a timeout', () => {
    expect(problemsOf({ MEMBRANE_INGEST_LLM_ENABLED: 'true', MEMBRANE_INGEST_LLM_TIMEOUT: '0s' })).toEqual([
      'MEMBRANE_INGEST_LLM_ENDPOINT must be set when MEMBRANE_INGEST_LLM_ENABLED is true',
      'MEMBRANE_INGEST_LLM_MODEL must be set when MEMBRANE_INGEST_LLM_ENABLED is true',
      'MEMBRANE_INGEST_LLM_TIMEOUT must be longer than 0',
    ])
  })

  test.each([
    ['MEMBRANE_INGEST_LLM_ENDPOINT', 'models.example/v1'],
    ['MEMBRANE_INGEST_LLM_ENDPOINT', 'https://user:word@models.example/v1'],
    ['MEMBRANE_INGEST_LLM_ENDPOINT', 'https://models.example/v1?key=word'],
    ['MEMBRANE_INGEST_LLM_API_KEY', 'a word\nX-Other: word'],
  ])('refuses %s=%s without repeating the value', (name, value) => {
    const problems = problemsOf({ ...variables, [name]: value })
    expect(problems).toEqual([expect.stringContaining(`${name} must be `)])
    expect(problems.join()).not.toContain('word')
  })
})

describe('the configuration of embeddings', () => {
  const variables = {
    MEMBRANE_EMBEDDING_PROVIDER: 'openai',
    MEMBRANE_EMBEDDING_ENDPOINT: 'http://127.0.0.1:11434/v1/embeddings',
    MEMBRANE_EMBEDDING_MODEL: 'nomic-embed-text',
  }

  test('uses the built-in word meanings by default', () => {
    expect(readConfig({}).embedding).toEqual({ provider: 'static' })
    expect(readConfig({ MEMBRANE_EMBEDDING_PROVIDER: 'hash' }).embedding).toEqual({ provider: 'hash' })
    expect(readConfig({ ...variables, MEMBRANE_EMBEDDING_PROVIDER: 'none' }).embedding).toEqual({
      provider: 'none',
    })
    expect(
      readConfig({ MEMBRANE_EMBEDDING_PROVIDER: 'hash', MEMBRANE_EMBEDDING_DIMENSIONS: '512' }).embedding,
    ).toEqual({ provider: 'hash', dimensions: 512 })
    expect(readConfig({ ...variables, MEMBRANE_EMBEDDING_API_KEY: 'sk-1' }).embedding).toEqual({
      provider: 'openai',
      endpoint: 'http://127.0.0.1:11434/v1/embeddings',
      model: 'nomic-embed-text',
      apiKey: 'sk-1',
      timeoutMs: 30_000,
    })
  })

  test('requires an endpoint, a model and a timeout for a server', () => {
    expect(problemsOf({ MEMBRANE_EMBEDDING_PROVIDER: 'openai', MEMBRANE_EMBEDDING_TIMEOUT: '0' })).toEqual([
      'MEMBRANE_EMBEDDING_ENDPOINT must be set when MEMBRANE_EMBEDDING_PROVIDER is openai',
      'MEMBRANE_EMBEDDING_MODEL must be set when MEMBRANE_EMBEDDING_PROVIDER is openai',
      'MEMBRANE_EMBEDDING_TIMEOUT must be longer than 0',
    ])
  })

  test('refuses settings of another source of vectors than the default, if none is named', () => {
    const { MEMBRANE_EMBEDDING_PROVIDER: _, ...server } = variables
    const unnamed = { ...server, MEMBRANE_EMBEDDING_DIMENSIONS: '512' }
    expect(problemsOf(unnamed)).toEqual([
      'MEMBRANE_EMBEDDING_ENDPOINT needs MEMBRANE_EMBEDDING_PROVIDER=openai',
      'MEMBRANE_EMBEDDING_MODEL needs MEMBRANE_EMBEDDING_PROVIDER=openai',
      'MEMBRANE_EMBEDDING_DIMENSIONS needs MEMBRANE_EMBEDDING_PROVIDER=hash or openai',
    ])
    // A server that is not used for a while keeps its settings.
    expect(readConfig({ ...unnamed, MEMBRANE_EMBEDDING_PROVIDER: 'static' }).embedding).toEqual({
      provider: 'static',
    })
  })

  test('reads how long a search waits for the vector of its question', () => {
    expect(readConfig({}).queryEmbeddingTimeoutMs).toBe(2_000)
    expect(readConfig({ MEMBRANE_QUERY_EMBEDDING_TIMEOUT: '500ms' }).queryEmbeddingTimeoutMs).toBe(500)
    expect(problemsOf({ MEMBRANE_QUERY_EMBEDDING_TIMEOUT: '0' })).toEqual([
      'MEMBRANE_QUERY_EMBEDDING_TIMEOUT must be longer than 0',
    ])
  })

  test.each([
    ['MEMBRANE_EMBEDDING_PROVIDER', 'ollama', 'one of none, static, hash, openai'],
    ['MEMBRANE_EMBEDDING_DIMENSIONS', '4097', 'a whole number from 8 to 4096'],
    ['MEMBRANE_EMBEDDING_DIMENSIONS', '1.5', 'a whole number from 8 to 4096'],
  ])('refuses %s=%s', (name, value, expected) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name} must be ${expected}`])
  })
})

test('a role that serves tenants says with all other problems that it needs the root key', () => {
  const variables = { MEMBRANE_TENANTS: 'on', MEMBRANE_DECAY_INTERVAL: '1ms' }
  const interval = expect.stringContaining('MEMBRANE_DECAY_INTERVAL must be a duration')
  for (const role of ['api', 'all'])
    expect(problemsOf(variables, role)).toEqual([interval, 'MEMBRANE_TENANTS=on needs MEMBRANE_API_KEY'])
  expect(problemsOf(variables, 'worker')).toEqual([interval])
})
